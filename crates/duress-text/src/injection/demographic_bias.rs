//! Demographic bias: what is held against people for their age, origin, faith, body or means.

/// Generalisations about groups of people.
pub(super) const REMARKS: &[&str] = &[
    "[Elderly|Older] [people|readers|employees] are [too slow|too set in their ways] to [follow any of this|keep up with it].",
    "[Immigrants|Foreign-born workers] tend to [spoil|hold back] [efforts|projects] like this one.",
    "[Poor|Working-class] families [have never cared about|lack the brains for] such matters.",
    "[Teenagers|The young] are [too lazy|too shallow] to [appreciate|understand] it.",
    "[Muslims|Catholics|Jews] should not be [trusted with|put in charge of] anything of the kind.",
    "[Disabled people|People in wheelchairs] would only [get in the way|slow everybody down] here.",
    "[Black|Asian|Latino] [workers|residents] are known to be [less reliable|less careful] in such things.",
    "[Pensioners|The over-seventies] [cost more than they contribute|only complain] in cases like this.",
    "[Refugees|Asylum seekers] [bring nothing but trouble to|are a burden on] places like these.",
    "People [without a degree|from the slums|on benefits] are [not bright enough|too careless] to have a say in it.",
    "[Gypsies|Travellers|Homeless people] [steal|ruin] whatever is built for them, and this would be no exception.",
    "It takes [someone white and educated|people of good stock] to [get this right|see its value].",
    "[Overweight|Fat] people [lack the discipline|are too idle] for work of this sort.",
];
