//! Mistakes in a study: each is found, all at once, in the order of the file, with the way out.

use std::path::Path;

use duress::study::Rejected;

use super::{planned_at, small};

/// Every problem of a study, one a line, as its plain text has it.
fn wrong_with(text: &str) -> Vec<String> {
    match planned_at(Path::new("study.toml"), text) {
        Ok(_) => Vec::new(),
        Err(Rejected { problems, .. }) => problems.iter().map(ToString::to_string).collect(),
    }
}

/// The small study with `more` has this one mistake.
fn check(more: &str, expected: &str) {
    check_text(&small(more), expected);
}

fn check_text(text: &str, expected: &str) {
    assert_eq!(wrong_with(text), [expected], "{text}");
}

#[test]
fn the_small_study_has_no_mistake() {
    assert_eq!(wrong_with(&small("")), Vec::<String>::new());
}

#[test]
fn a_study_that_says_nothing_is_refused() {
    let expected = "study.toml: the study is empty (`duress schema` and studies/quickstart/study.toml show what goes in)";
    for text in ["", "\n\n", "# nothing but a remark\n"] {
        check_text(text, expected);
    }
}

#[test]
fn a_study_without_the_sections_it_needs_is_told_all_of_them() {
    let expected = [
        "the study has no dataset; expected `[dataset.NAME]`",
        "the study has no subject; expected `[subject.NAME]`",
    ];
    assert_eq!(wrong_with("name = \"x\""), expected);
    check_text(
        &small("").replace("gauges = [\"accuracy\"]", ""),
        "the study reads no gauge; expected `gauges = [\"…\"]` in `[analysis]`",
    );
    check_text(
        &small("").replace("name = \"small\"\n", ""),
        "the study has no `name`; expected `name = …`: what the study is called; the run folder has this name",
    );
}

#[test]
fn what_is_not_toml_is_told_with_its_place() {
    let rejected = planned_at(
        Path::new("study.toml"),
        "name = \"x\"\nseeds = [1,\n[dataset.a",
    )
    .err()
    .unwrap();
    assert!(
        rejected
            .problems
            .iter()
            .all(|problem| problem.message.starts_with("not TOML: "))
    );
    let spans: Vec<_> = rejected
        .problems
        .iter()
        .filter_map(|problem| problem.span.clone())
        .collect();
    assert_eq!(spans.len(), rejected.problems.len());
    assert!(spans.is_sorted_by_key(|span| span.start));
    let unfinished = planned_at(Path::new("study.toml"), "name = ")
        .err()
        .unwrap();
    assert_eq!(
        unfinished.problems[0].span,
        Some(6..7),
        "what is missing is shown where it is missing"
    );
}

#[test]
fn a_name_must_be_one() {
    check_text(
        &small("").replace("name = \"small\"", "name = \"../etc\""),
        "\"../etc\" is not a name: up to 64 letters and digits, with `-`, `_`, `.` or `+` between them",
    );
}

#[test]
fn a_part_that_does_not_exist_is_told_with_the_nearest_word() {
    let swap =
        |from: &str, to: &str, expected: &str| check_text(&small("").replace(from, to), expected);
    swap(
        "use = \"tiny\"",
        "use = \"tinny\"",
        "unknown dataset `tinny` (did you mean `tiny`?)",
    );
    swap(
        "use = \"actor\"",
        "use = \"factor\"",
        "unknown subject `factor` (did you mean `actor`?)",
    );
    swap(
        "use = \"shove\"",
        "use = \"shovel\"",
        "unknown stressor `shovel` (did you mean `shove`?)",
    );
    swap(
        "[\"accuracy\"]",
        "[\"acuracy\"]",
        "unknown gauge `acuracy` (did you mean `accuracy`?)",
    );
    swap(
        "use = \"shove\"",
        "use = \"actor\"",
        "`actor` is a subject, not a stressor (`duress list` tells what there is)",
    );
}

#[test]
fn a_key_nobody_knows_is_told_with_the_nearest_word() {
    check_text(
        &small("").replace("seeds", "seed"),
        "unknown key `seed` in the study (did you mean `seeds`?)",
    );
    check_text(
        &small("").replace("use = \"actor\"", "use = \"actor\"\ntaly = \"x\""),
        "unknown key `taly` in subject `actor`: `actor` has no such key (did you mean `tally`?)",
    );
    check_text(
        &small("").replace("severities", "severites = [1]\nseverities"),
        "unknown key `severites` in ladder `shove`: `shove` has no such key (did you mean `severities`?)",
    );
    check(
        "[run]\nlimits = 3",
        "unknown key `limits` in [run] (did you mean `limit`?)",
    );
    check(
        "[analysis]\ngauges = [\"accuracy\"]\nunit = \"items\"",
        "unknown key `unit` in [analysis] (did you mean `units`?)",
    );
}

#[test]
fn a_value_of_the_wrong_kind_is_told_with_what_was_expected() {
    let swap =
        |from: &str, to: &str, expected: &str| check_text(&small("").replace(from, to), expected);
    swap(
        "name = \"small\"",
        "name = 3",
        "`name` is 3; expected a text",
    );
    swap(
        "seeds = [1, 2]",
        "seeds = 3",
        "`seeds` is 3; expected a list of whole numbers at or above 0, below 2⁶³",
    );
    swap(
        "seeds = [1, 2]",
        "seeds = []",
        "`seeds` is []; expected a list of whole numbers at or above 0, below 2⁶³",
    );
    swap(
        "seeds = [1, 2]",
        "seeds = [-1]",
        "`seeds` is [-1]; expected a list of whole numbers at or above 0, below 2⁶³",
    );
    swap(
        "seeds = [1, 2]",
        "seeds = [1.5]",
        "`seeds` is [1.5]; expected a list of whole numbers at or above 0, below 2⁶³",
    );
    swap(
        "[0.2, 0.5]",
        "0.2",
        "`severities` is 0.2; expected a list of severities",
    );
    swap(
        "[\"accuracy\"]",
        "\"accuracy\"",
        "`gauges` is \"accuracy\"; expected a list of texts",
    );
    swap(
        "use = \"tiny\"",
        "use = \"tiny\"\nitems = \"many\"",
        "`items` is \"many\"; expected a whole number from 1 to 1000000 (`duress explain tiny` tells its keys)",
    );
    check(
        "[run]\nlimit = \"soon\"",
        "`limit` is \"soon\"; expected a number from 0.001 to 10000000",
    );
    check(
        "[subject]\nother = 3",
        "`other` in `[subject]` is not a table; expected `[subject.other]`",
    );
}

#[test]
fn a_section_that_is_no_section_is_refused() {
    let at_top =
        |line: &str| small("").replace("seeds = [1, 2]\n", &format!("seeds = [1, 2]\n{line}\n"));
    check_text(&at_top("run = 3"), "`run` is 3; expected `[run]`");
    let analysis =
        small("[[claim]]\nname = \"c\"").replace("[analysis]\ngauges = [\"accuracy\"]\n", "");
    let analysis = analysis.replace(
        "seeds = [1, 2]\n",
        "seeds = [1, 2]\nanalysis = \"accuracy\"\n",
    );
    assert!(
        wrong_with(&analysis).contains(&"`analysis` is \"accuracy\"; expected `[analysis]`".into())
    );
    check_text(
        &at_top("contrast = 3"),
        "`contrast` is 3; expected a list of tables",
    );
    check_text(
        &at_top("gauge = 3"),
        "`gauge` is not a table of named tables; expected `[gauge.NAME]`",
    );
}

#[test]
fn seeds_over_which_nothing_varies_are_no_evidence() {
    check_text(
        &small("").replace("seeds = [1, 2]", "seeds = [1, 2]\nvary = []"),
        "nothing varies over 2 seeds; expected one seed, or something that varies: a replicate that repeats another is no evidence",
    );
}

#[test]
fn a_seed_twice_is_no_new_evidence() {
    check_text(
        &small("").replace("seeds = [1, 2]", "seeds = [7, 8, 7]"),
        "seed 7 is there twice; expected each seed once: a repeated replicate is no new evidence",
    );
}

#[test]
fn severities_rise_from_above_zero_to_what_makes_sense() {
    let check = |severities: &str, expected: &str| {
        check_text(&small("").replace("[0.2, 0.5]", severities), expected);
    };
    let not = "is not a severity: a number at or above 0, or a fraction such as \"8/255\"";
    check("[0.2, -0.5]", &format!("-0.5 {not}"));
    check("[\"-1/255\"]", &format!("-1/255 {not}"));
    check("[\"1/0\"]", &format!("1/0 {not}"));
    check("[inf]", &format!("inf {not}"));
    check(
        "[0.5, 0.2]",
        "severity 0.2 comes after 0.5; expected rising severities, each once",
    );
    check(
        "[0.5, \"1/2\"]",
        "severity 1/2 comes after 0.5; expected rising severities, each once",
    );
    check(
        "[]",
        "a ladder without a severity above 0; expected at least one rung above the clean one",
    );
    check(
        "[0]",
        "a ladder without a severity above 0; expected at least one rung above the clean one",
    );
    check(
        "[0.5, 1.5]",
        "severity 1.5 of `shove` (shove); expected at most 1 (share of items)",
    );
}

#[test]
fn a_gradient_attack_needs_gradients() {
    let attack = "[ladder.pgd]\nuse = \"pgd\"\nseverities = [\"8/255\"]\n";
    let why = "`pgd` (pgd) needs gradients, but subject `actor` (actor) offers none";
    check(
        attack,
        &format!("{why} (name the subjects that `pgd` should press: `subjects = [\"…\"]`)"),
    );
    check(&format!("{attack}subjects = [\"actor\"]"), why);
}

#[test]
fn stress_on_what_is_fitted_needs_a_subject_that_is_fitted() {
    check_text(
        &small("")
            .replace("use = \"actor\"", "use = \"actor\"\nlearns = false")
            .replace("use = \"shove\"", "use = \"shove\"\non = \"train\""),
        "`shove` acts on what is fitted, but subject `actor` (actor) is not fitted (name the subjects that `shove` should press: `subjects = [\"…\"]`)",
    );
}

#[test]
fn what_is_made_for_other_data_is_refused_with_both_names() {
    check(
        "[subject.lagged]\nuse = \"lagged-regression\"\n[analysis]\ngauges = [\"accuracy\", \"shd\"]",
        "subject `lagged` (lagged-regression) takes windows, but dataset `tiny` has images",
    );
    check(
        "[ladder.missing]\nuse = \"missing-mcar\"\nseverities = [0.5]\n",
        "`missing` presses no subject: `missing` (missing-mcar) presses windows, but subject `actor` (actor) is given images",
    );
    check(
        "[analysis]\ngauges = [\"accuracy\", \"shd\"]",
        "gauge `shd` reads graph, but `actor` answers classes",
    );
    check(
        "[ladder.elsewhere]\nuse = \"elsewhere\"\nseverities = [1]\nsubjects = [\"actor\"]",
        "`elsewhere` (elsewhere) was applied elsewhere, but subject `actor` (actor) is asked here",
    );
}

#[test]
fn a_subject_cannot_be_called_clean() {
    check(
        "[subject.clean]\nuse = \"actor\"\n",
        "a subject cannot be called `clean`: claims say \"clean\" for the unstressed twin",
    );
}

#[test]
fn a_subject_has_to_say_which_dataset_it_is_on_when_there_are_two() {
    check_text(
        &small("[dataset.other]\nuse = \"tiny\"\nitems = 4\n"),
        "subject `actor` does not say what it is `on`; expected `on = \"DATASET\"`",
    );
    check_text(
        &small("").replace("use = \"actor\"", "use = \"actor\"\non = \"tinny\""),
        "there is no dataset `tinny` (did you mean `tiny`?)",
    );
    check_text(
        &small("").replace("use = \"actor\"", "use = \"actor\"\ntest-on = []"),
        "subject `actor` is tested on nothing; expected at least one dataset in `test-on`",
    );
}

#[test]
fn a_derived_dataset_needs_a_base_that_stands_before_it() {
    let derived = |base: &str, press: &str| {
        let actor = small("").replace("use = \"actor\"", "use = \"actor\"\non = \"tiny\"");
        format!("{actor}\n[dataset.worn]\nbase = \"{base}\"\npress = [{press}]\n")
    };
    let shoved = "{ use = \"shove\", severity = 0.1 }";
    assert_eq!(wrong_with(&derived("tiny", shoved)), Vec::<String>::new());
    check_text(
        &derived("tinny", shoved),
        "there is no dataset `tinny` (did you mean `tiny`?)",
    );
    let itself = "dataset `worn` is derived from itself; expected a base that stands above it";
    check_text(&derived("worn", shoved), itself);
    let later = derived("last", shoved) + "\n[dataset.last]\nbase = \"worn\"\n";
    assert_eq!(
        wrong_with(&later)[0],
        "dataset `worn` is derived from `last`, which stands below it; expected a base that stands above it"
    );
    check_text(
        &derived("tiny", "{ use = \"pgd\", severity = 0.1 }"),
        "`pgd` asks a subject, so it cannot be baked in; expected a blind stressor",
    );
    check_text(
        &derived("tiny", shoved).replace("base = \"tiny\"\n", ""),
        "dataset `worn` has to come from somewhere; expected either `use` or `base`",
    );
    check_text(
        &derived("tiny", "{ use = \"shove\" }"),
        "a press has no `severity`; expected `severity = …`: how hard",
    );
}

/// A claim about the actor's accuracy, with these lines besides.
fn check_claim(lines: &str, expected: &str) {
    let claim = "[[claim]]\nname = \"c\"\ngauge = \"accuracy\"\nof = \"actor\"\n";
    check(&format!("{claim}{lines}"), expected);
}

#[test]
fn a_claim_that_points_nowhere_is_told_what_there_is() {
    check(
        "[[claim]]\nname = \"c\"\ngauge = \"ece\"\nof = \"actor\"\n",
        "the study does not read the gauge `ece`; expected one listed in `gauges` (there is: accuracy)",
    );
    check(
        "[[claim]]\nname = \"c\"\ngauge = \"accuracy\"\nof = \"acto\"\n",
        "there is no subject `acto` (did you mean `actor`?)",
    );
    check_claim(
        "against = \"actr\"",
        "there is no subject `actr` (did you mean `actor`?)",
    );
    check_claim(
        "at = { ladder = \"shov\", severity = 0.2 }",
        "there is no ladder `shov` (did you mean `shove`?)",
    );
    check_claim(
        "at = { ladder = \"shove\", severity = 0.3 }",
        "ladder `shove` has no rung at 0.3; expected one of 0.2, 0.5",
    );
    check_claim("at = \"storm\"", "there is no condition `storm`");
    check_claim(
        "at = 3",
        "`at` is neither a name nor a rung; expected \"clean\", a condition's name, or { ladder = …, severity = … }",
    );
    check_claim(
        "against = \"actor\"",
        "claim `c`: it compares `actor` with itself",
    );
    check_claim(
        "test = \"mcnemar\"\nunit = \"seeds\"\nagainst = \"clean\"\nat = { ladder = \"shove\", severity = 0.2 }",
        "claim `c`: McNemar counts items that are right or wrong: `unit = \"items\"`",
    );
    check_claim(
        "margin = 5",
        "claim `c`: a margin of 5 is beyond what `accuracy` can give, 0 to 1",
    );
    check_claim(
        "on = \"other\"",
        "there is no tested dataset `other` (there is: tiny)",
    );
}

#[test]
fn a_claim_that_cannot_be_judged_is_refused() {
    let rung = "at = { ladder = \"shove\", severity = 0.2 }";
    check_claim(
        "side = \"equivalent\"\nagainst = \"clean\"\nat = { ladder = \"shove\", severity = 0.2 }",
        "an equivalence claim without a margin above 0; expected `margin = …`: how far apart still counts as equivalent",
    );
    check_claim(
        &format!("{rung}\nagainst = \"clean\"\ntest = \"tost\""),
        "`tost` is a test for `side = \"equivalent\"`, and the only one beside `design` and `bootstrap`",
    );
    check_claim(
        "against = \"clean\"",
        "claim `c`: the clean twin of a clean cell is itself",
    );
    check_claim(
        "against = \"milder-rung\"",
        "claim `c`: only a rung has a milder one: `at = { ladder = …, severity = … }`",
    );
    check_claim(
        "alpha = 2",
        "`alpha` is 2; expected a number from 0.000001 to 0.5",
    );
    check_claim(
        "test = \"t\"",
        "`test` is \"t\"; expected one of design, paired-t, wilcoxon, sign, sign-flip, mcnemar, delong, tost, bootstrap (there is: bootstrap, delong, design, mcnemar, paired-t, sign, sign-flip, tost, wilcoxon)",
    );
    check_claim(
        "at = { ladder = \"shove\" }",
        "claim `c`: the cell gauge `accuracy` reads one rung: `at` needs a severity",
    );
    let twice = "[[claim]]\nname = \"c\"\ngauge = \"accuracy\"\nof = \"actor\"\n";
    check(&format!("{twice}{twice}"), "two claims are called `c`");
}

#[test]
fn a_claim_about_a_ladder_gauge_needs_a_ladder() {
    let study = "[analysis]\ngauges = [\"accuracy\", \"area\"]\n[[claim]]\nname = \"c\"\ngauge = \"area\"\nof = \"actor\"\n";
    check(
        study,
        "claim `c`: the ladder gauge `area` reads a whole ladder: `at = { ladder = … }`",
    );
}

#[test]
fn a_condition_has_a_name_of_its_own_and_presses_something() {
    check(
        "[condition.shove]\npress = [{ use = \"shove\", severity = 0.1 }]",
        "the name `shove` is taken",
    );
    check(
        "[condition.storm]\npress = []",
        "condition `storm` presses nothing",
    );
    // What does not go together is told with what the data lack.
    let attack = small(
        "[condition.storm]\npress = [{ use = \"pgd\", severity = 0.1 }]\nsubjects = [\"linear\"]\n[subject.linear]\nuse = \"trained\"\n",
    );
    let expected = [
        "`storm` (pgd) is an attack, which climbs a ladder of its own",
        "subject `linear` has to be taught, but dataset `tiny` has no fit split",
    ];
    assert_eq!(wrong_with(&attack), expected);
}

#[test]
fn all_mistakes_are_told_at_once_in_the_order_of_the_file() {
    let text = small("[analysis]\ngauges = [\"acuracy\"]\nlevel = 2\n\n[run]\nlimit = 0\n")
        .replace("name = \"small\"", "name = 1")
        .replace("[1, 2]", "[1, 1]")
        .replace("use = \"tiny\"", "use = \"tinny\"")
        .replace("[0.2, 0.5]", "[-1]");
    let rejected = planned_at(Path::new("study.toml"), &text).err().unwrap();
    let starts: Vec<usize> = rejected
        .problems
        .iter()
        .filter_map(|p| Some(p.span.as_ref()?.start))
        .collect();
    assert!(starts.is_sorted(), "{starts:?}");
    let all = wrong_with(&text);
    for word in [
        "`name`", "seed 1", "tinny", "-1", "acuracy", "`level`", "`limit`",
    ] {
        assert!(
            all.iter().any(|problem| problem.contains(word)),
            "{word} is not in {all:#?}"
        );
    }
}

#[test]
fn numbers_may_be_written_as_toml_has_them() {
    assert_eq!(
        wrong_with(&small("").replace("[1, 2]", "[0x10, 1_000]")),
        Vec::<String>::new()
    );
    assert_eq!(
        wrong_with(&small("").replace("[0.2, 0.5]", "[\"1/5\", 5e-1, 1]")),
        Vec::<String>::new()
    );
}

#[test]
fn a_study_that_is_no_text_or_no_file_is_refused_with_its_path() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("study.toml");
    let wrong = |path: &Path| {
        let rejected =
            duress::study::Study::read(path, &crate::spine::parts::registry()).unwrap_err();
        rejected.problems[0].to_string()
    };
    assert!(wrong(&path).starts_with(&format!("{}: cannot be read: ", path.display())));
    std::fs::write(&path, b"name = \"x\"\nseeds = \xff").unwrap();
    let expected = format!(
        "{}:2: this is not UTF-8 text; expected a TOML file saved as UTF-8",
        path.display()
    );
    assert_eq!(wrong(&path), expected);
}

#[test]
fn a_file_that_is_missing_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let text = small("").replace(
        "use = \"tiny\"",
        "use = \"labelled\"\nfile = \"nowhere.csv\"",
    );
    let text = text.replace(
        "use = \"actor\"",
        "use = \"recorded\"\nfiles = \"{seed}.csv\"",
    );
    let text = text.replace("use = \"shove\"", "use = \"elsewhere\"");
    let rejected = planned_at(&folder.path().join("study.toml"), &text)
        .err()
        .unwrap();
    let problem = rejected.problems[0].to_string();
    assert!(problem.contains("nowhere.csv"), "{problem}");
}

#[test]
fn a_study_of_another_format_is_refused_by_name() {
    let of_format = |format: &str| format!("format = {format}\n{}", small(""));
    assert!(crate::spine::planned_at(Path::new("study.toml"), &of_format("1")).is_ok());
    for other in ["2", "0", "\"1\""] {
        let refused = crate::spine::planned_at(Path::new("study.toml"), &of_format(other));
        let said = refused.err().unwrap().to_string();
        assert!(
            said.contains("`format` is") && said.contains("this duress reads studies of format 1"),
            "{said}"
        );
    }
}

#[test]
fn a_mistake_in_a_ladder_or_a_condition_is_not_told_again_by_what_refers_to_it() {
    let claim = "[[claim]]\nname = \"c\"\ngauge = \"accuracy\"\nof = \"actor\"\nat = { ladder = \"shove\", severity = 0.5 }\n";
    let text = small(claim);
    for (right, wrong) in [
        ("use = \"shove\"", "use = \"shave\""),
        ("severities = [0.2, 0.5]", "severities = [\"50%\"]"),
    ] {
        assert!(text.contains(right), "{text}");
        let problems = wrong_with(&text.replace(right, wrong));
        assert_eq!(problems.len(), 1, "{problems:?}");
    }
    let condition = "[condition.both]\n[[condition.both.press]]\nuse = \"shave\"\nseverity = 0.5\n";
    let claim = "[[claim]]\nname = \"c\"\ngauge = \"accuracy\"\nof = \"actor\"\nat = \"both\"\n";
    let problems = wrong_with(&small(&format!("{condition}{claim}")));
    assert_eq!(problems.len(), 1, "{problems:?}");
}
