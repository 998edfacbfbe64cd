//! `[[claim]]`: a hypothesis.

use std::ops::Range;

use duress_core::name::Name;
use duress_core::place::Place;
use duress_core::problem::Problem;

use super::{NamedInStudy, Referent, StudyReader};
use crate::study::keys;
use crate::study::node::Node;
use crate::study::reader::Reader;
use crate::study::{
    Against, COUNTED_UNITS, ClaimDecl, ClaimSide, ClaimTest, Doubted, Scope, StatementDecl, Units,
};

impl StudyReader<'_> {
    pub(super) fn claims(
        &mut self,
        top: &Reader<'_>,
        named: &NamedInStudy<'_>,
        units: Units,
    ) -> Vec<ClaimDecl> {
        let mut claims: Vec<ClaimDecl> = Vec::new();
        for (span, nodes) in top.tables("claim", &mut self.problems) {
            let Some(claim) = self.claim(span.clone(), nodes, named, units) else {
                continue;
            };
            if claims.iter().any(|other| other.name == claim.name) {
                self.problems
                    .push(Problem::new(format!("two claims are called `{}`", claim.name)).at(span));
            }
            claims.push(claim);
        }
        claims
    }

    fn claim(
        &mut self,
        span: Range<usize>,
        nodes: &[Node],
        named: &NamedInStudy<'_>,
        units: Units,
    ) -> Option<ClaimDecl> {
        let in_parts = nodes.iter().any(|node| node.key == keys::PART);
        let keys = match in_parts {
            true => keys::CLAIM_OF_PARTS,
            false => keys::CLAIM,
        };
        let reader = Reader::new("a claim", span.clone(), nodes, keys, &mut self.problems);
        reader.no_rest(&mut self.problems);
        let name = reader.text("name", &mut self.problems);
        let alpha = reader
            .number("alpha", 1e-6..=0.5, &mut self.problems)
            .unwrap_or(0.05);
        let family = reader.text("family", &mut self.problems);
        let statements = match in_parts {
            true => self.parts(&reader, nodes, named, units),
            false => self.statement(&reader, named, units).map(|one| vec![one]),
        };
        Some(ClaimDecl {
            name: name?.value,
            family: family.map_or_else(|| "all claims".into(), |family| family.value),
            alpha,
            statements: statements?,
            span,
        })
    }

    /// The parts of a claim; what one leaves out, it takes from the claim.
    fn parts(
        &mut self,
        claim: &Reader<'_>,
        of_claim: &[Node],
        named: &NamedInStudy<'_>,
        units: Units,
    ) -> Option<Vec<StatementDecl>> {
        let tables = claim.tables(keys::PART, &mut self.problems);
        if tables.len() == 1 {
            let wrong = Problem::new("a claim of one part");
            let wrong = wrong.expected("two parts or more; what one part says, the claim can say");
            self.problems.push(wrong.at(claim.span()));
        }
        let mut parts: Vec<StatementDecl> = Vec::new();
        for (span, own) in &tables {
            let taken = of_claim.iter().filter(|node| {
                let may = keys::PART_OF_CLAIM.iter().any(|key| key.name == node.key);
                may && node.key != "name" && own.iter().all(|one| one.key != node.key)
            });
            let nodes: Vec<Node> = own.iter().chain(taken).cloned().collect();
            let reader = Reader::new(
                "a part of a claim",
                span.clone(),
                &nodes,
                keys::PART_OF_CLAIM,
                &mut self.problems,
            );
            reader.no_rest(&mut self.problems);
            let Some(part) = self.statement(&reader, named, units) else {
                continue;
            };
            if parts.iter().any(|other| other.name == part.name) {
                let wrong = Problem::new(format!("two parts are called `{}`", part.name));
                self.problems.push(wrong.at(span.clone()));
            }
            parts.push(part);
        }
        // What the claim says wrong, each of its parts would say again.
        let mut told: Vec<Problem> = Vec::new();
        for problem in self.problems.drain(..) {
            if !told.contains(&problem) {
                told.push(problem);
            }
        }
        self.problems = told;
        (parts.len() == tables.len() && parts.len() > 1).then_some(parts)
    }

    fn statement(
        &mut self,
        reader: &Reader<'_>,
        named: &NamedInStudy<'_>,
        units: Units,
    ) -> Option<StatementDecl> {
        let name = reader.text("name", &mut self.problems);
        let (gauge, place) = self.gauge_at_place(reader, named);
        let against = self.against(reader, named);
        let minus_on = self.minus_on(reader, named, (place.as_ref(), against.as_ref()));
        let side = reader
            .word("side", &mut self.problems)
            .unwrap_or(ClaimSide::Greater);
        let margin = self.margin(reader, side);
        let test = self.claim_test(reader, side);
        let unit = reader.word_among("unit", COUNTED_UNITS, &mut self.problems);
        let scope = reader.word::<Scope>("scope", &mut self.problems);
        let counts_items = matches!(test, ClaimTest::Mcnemar | ClaimTest::Delong);
        Some(StatementDecl {
            name: name?.value,
            gauge: gauge?,
            place: place?,
            against: against?,
            minus_on: minus_on?,
            side,
            margin,
            test,
            scope: scope.map(Units::from).or(unit),
            by_items: match unit {
                Some(unit) => unit == Units::Items,
                None => units == Units::Items || counts_items,
            },
            doubted: reader
                .word("doubted", &mut self.problems)
                .unwrap_or(Doubted::Undecided),
            span: reader.span(),
        })
    }

    /// The dataset whose reading is taken off, on which all that is compared has to be tested too.
    fn minus_on(
        &mut self,
        reader: &Reader<'_>,
        named: &NamedInStudy<'_>,
        (place, against): (Option<&Place>, Option<&Against>),
    ) -> Option<Option<Name>> {
        let Some(text) = reader.text("minus-on", &mut self.problems) else {
            return reader.node("minus-on").is_none().then_some(None);
        };
        let place = place?;
        if text.value == place.dataset.as_str() {
            let wrong = Problem::new(format!("`{}` minus itself", text.value));
            let wrong = wrong.expected("another dataset of the same items in `minus-on`");
            self.problems.push(wrong.at(text.span));
            return None;
        }
        let mut compared = vec![&place.subject];
        if let Some(Against::Subject(other)) = against {
            compared.push(other);
        }
        let mut found = None;
        for name in compared {
            let subject = named.subjects.iter().find(|one| one.name == *name)?;
            found = Some(self.known(Referent::TestedDataset, &text, subject.test_on.iter())?);
        }
        Some(found)
    }

    fn margin(&mut self, reader: &Reader<'_>, side: ClaimSide) -> f64 {
        let margin = reader
            .number("margin", -1e12..=1e12, &mut self.problems)
            .unwrap_or(0.0);
        if side == ClaimSide::Equivalent && margin <= 0.0 {
            let wrong = Problem::new("an equivalence claim without a margin above 0");
            let wrong = wrong.expected("`margin = …`: how far apart still counts as equivalent");
            self.problems.push(wrong.at(reader.span()));
        }
        margin
    }

    fn claim_test(&mut self, reader: &Reader<'_>, side: ClaimSide) -> ClaimTest {
        let equivalence = side == ClaimSide::Equivalent;
        let test = reader
            .word("test", &mut self.problems)
            .unwrap_or(ClaimTest::Design);
        let either = matches!(test, ClaimTest::Bootstrap | ClaimTest::Design);
        let fits = either || (test == ClaimTest::Tost) == equivalence;
        if !fits {
            let wrong = Problem::new(
                "`tost` is a test for `side = \"equivalent\"`, and the only one beside `design` and `bootstrap`",
            );
            self.problems.push(wrong.at(reader.span()));
        }
        test
    }

    fn against(&mut self, reader: &Reader<'_>, named: &NamedInStudy<'_>) -> Option<Against> {
        match reader.text("against", &mut self.problems) {
            None => reader.node("against").is_none().then_some(Against::Nothing),
            Some(text) if text.value == "clean" => Some(Against::Clean),
            Some(text) if text.value == "milder-rung" => Some(Against::MilderRung),
            Some(_) => self
                .subject_named("against", reader, named)
                .map(Against::Subject),
        }
    }
}
