//! What can be asked of the command, with help that teaches.

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};
use duress_core::part::PartKind;
use duress_core::word::Word;
use duress_findings::AgreementMeasure;
use duress_nn::instructions::InstructionSet;

/// How models behave when life gets harder: one study file in, answers kept, statistics that stand,
/// a report out.
///
/// Start with `duress run studies/quickstart/study.toml`, then open the `index.html` it names.
#[derive(Parser)]
#[command(version, about, long_about, after_help = EXIT_CODES, propagate_version = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) verb: Verb,
}

const EXIT_CODES: &str = "Exit codes:
  0    done; under --gate, every claim is upheld
  1    under --gate, some claim is not upheld (--gate=refuted: some claim is refuted)
  2    bad input: the message says where and what would be right; also --gate without a claim,
       or a claim's margin below the noise floor of `run --twice`
  3    done, but cells failed: the report lists them
  4    our fault
  130  interrupted: run again to go on";

#[derive(Subcommand)]
pub(crate) enum Verb {
    /// Write a commented study that runs, from tables of answers you have or from data that come
    /// with duress
    Init(InitArgs),
    /// Say everything that is wrong with a study, what its numbers can show, and how long it will
    /// take
    Check(CheckArgs),
    /// Show what a study will ask, without asking it
    Plan(PlanArgs),
    /// Run a study: ask what is missing, find, report
    Run(RunArgs),
    /// Make findings and report anew from the answers that are kept
    Report(ReportArgs),
    /// Say what changed between two runs, paired by item and seed
    Compare(CompareArgs),
    /// Check that every file of a run is as it was written
    Verify(VerifyArgs),
    /// Read every gauge that applies from a table of answers you already have
    Gauge(GaugeArgs),
    /// Compare judges with people, from one table of their labels
    Agree(AgreeArgs),
    /// Write a sheet of what a study's stressors do to texts, or read what people said of it
    Review(ReviewArgs),
    /// Ask a model for the errors that a study puts into texts, and keep them
    Inject(InjectArgs),
    /// List the parts a study can name
    List(ListArgs),
    /// Explain a part: what it does, its keys, what to read
    Explain(ExplainArgs),
    /// Print the JSON schema of study files, for editors, or of findings, for programs
    Schema(SchemaArgs),
}

#[derive(clap::Args)]
pub(crate) struct SchemaArgs {
    /// Of what
    #[arg(value_enum, default_value_t = SchemaOf::Study)]
    pub(crate) of: SchemaOf,
}

/// What has a schema.
#[derive(Clone, Copy, clap::ValueEnum)]
pub(crate) enum SchemaOf {
    /// A study file
    Study,
    /// The file 5-findings.json of a run
    Findings,
}

#[derive(clap::Args)]
#[command(after_help = STARTS)]
pub(crate) struct InitArgs {
    /// A kind (classify, causal, order, judge), a table or folder of your own, or both
    #[arg(value_name = "KIND or PATH", num_args = 0..=2)]
    pub(crate) about: Vec<String>,
    /// The study to write; a file that is there is never overwritten
    #[arg(long, value_name = "FILE", default_value = "study.toml")]
    pub(crate) out: PathBuf,
}

const STARTS: &str = "  duress init                    classifiers on digits that come with duress
  duress init causal             structure learners on systems that duress generates
  duress init order              a reader of scrambled idioms
  duress init judge              a judge of responses with errors put in
  duress init endpoint           a language model behind an endpoint, as a judge
  duress init preds.csv          your own table of answers with true classes
  duress init preds/             your own tables, named SUBJECT_seed1_clean.csv, SUBJECT_seed1_pgd_8-255.csv, …;
                                 true classes in one of them or in labels.csv
  duress init causal series.csv  your own series, one column per variable; likewise order idioms.csv, judge responses.csv";

#[derive(clap::Args)]
pub(crate) struct CheckArgs {
    /// The study file
    pub(crate) study: PathBuf,
    /// Seconds to spend on timing a piece of each kind; 0 for no estimate
    #[arg(long, default_value_t = 10.0, value_name = "SECONDS")]
    pub(crate) timing: f64,
}

#[derive(clap::Args)]
pub(crate) struct PlanArgs {
    /// The study file
    pub(crate) study: PathBuf,
    /// List every cell with its identity, one a line
    #[arg(long)]
    pub(crate) cells: bool,
}

#[derive(clap::Args)]
pub(crate) struct RunArgs {
    /// The study file
    pub(crate) study: PathBuf,
    /// The run's folder; answers that are in it are taken up [default: runs/NAME]
    #[arg(long, value_name = "FOLDER")]
    pub(crate) out: Option<PathBuf>,
    /// Threads that may be busy at once, with everything: subjects, networks, statistics, figures
    /// [default: all cores]; changes no answer
    #[arg(long, short, value_name = "N", value_parser = at_least_one)]
    pub(crate) jobs: Option<usize>,
    /// Exit with 1 unless every claim is upheld; with `refuted`, only if one is refuted
    #[arg(long, value_name = "WHEN", num_args = 0..=1, require_equals = true, default_missing_value = "upheld")]
    pub(crate) gate: Option<Gate>,
    /// Ask again where cells failed, and where items of other cells did
    #[arg(long)]
    pub(crate) retry: bool,
    /// Keep the replies of model endpoints in this folder, by content, and look there first; shared
    /// between studies
    #[arg(long, value_name = "FOLDER")]
    pub(crate) cache: Option<PathBuf>,
    /// Ask model endpoints through files in this folder, and in no other way: read the outputs of
    /// batches (OpenAI's, `vllm run-batch`) that lie there, and write inputs for what is missing
    #[arg(long, value_name = "FOLDER")]
    pub(crate) batch: Option<PathBuf>,
    /// Run again with fresh seeds, in a folder inside the run's, and say what changes when nothing
    /// does; a claim's margin below that is refused (exit 2)
    #[arg(long)]
    pub(crate) twice: bool,
    /// Vector instructions for networks: portable, avx2 or avx512; changes no answer, and is there
    /// to show that
    #[arg(long, hide = true, value_name = "SET")]
    pub(crate) instructions: Option<InstructionSet>,
}

#[derive(clap::Args)]
pub(crate) struct ReportArgs {
    /// The folder of a run
    pub(crate) run: PathBuf,
    /// As for `run`
    #[arg(long, value_name = "WHEN", num_args = 0..=1, require_equals = true, default_missing_value = "upheld")]
    pub(crate) gate: Option<Gate>,
    /// Write every answer, item by item, into this CSV file too
    #[arg(long, value_name = "FILE")]
    pub(crate) answers: Option<PathBuf>,
    /// Write the adversarial images of ladders with `keep = "adversarial"` into this folder too
    #[arg(long, value_name = "DIR")]
    pub(crate) images: Option<PathBuf>,
    /// Write the maps that explain answers into this folder too, as .npz
    #[arg(long, value_name = "DIR")]
    pub(crate) maps: Option<PathBuf>,
    /// Write what subjects learnt into this folder too, as SUBJECT_seedSEED_best.safetensors
    #[arg(long, value_name = "DIR")]
    pub(crate) weights: Option<PathBuf>,
    /// Write one table of what every stress cost into this folder too, as CSV, Markdown and a page
    #[arg(long, value_name = "FOLDER")]
    pub(crate) summary: Option<PathBuf>,
    /// Further runs whose stress stands in that table
    #[arg(requires = "summary")]
    pub(crate) others: Vec<PathBuf>,
}

#[derive(clap::Args)]
pub(crate) struct VerifyArgs {
    /// The folder of a run; nothing in it is changed
    pub(crate) run: PathBuf,
}

#[derive(clap::Args)]
pub(crate) struct CompareArgs {
    /// The folder of the first run
    pub(crate) before: PathBuf,
    /// The folder of the second run
    pub(crate) after: PathBuf,
    /// What to print
    #[arg(long, value_enum, default_value_t = ComparisonForm::Table)]
    pub(crate) form: ComparisonForm,
    /// Exit with 1 if anything is worse
    #[arg(long)]
    pub(crate) gate: bool,
}

/// Forms of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ComparisonForm {
    /// Text for a terminal
    Table,
    /// For a pull request
    Markdown,
    /// For programs
    Json,
    /// JUnit XML, for CI systems
    Junit,
}

#[derive(clap::Args)]
#[command(after_help = TABLES)]
pub(crate) struct GaugeArgs {
    /// The table: .csv, .parquet, .npz, .npy, .pt, .pth, .safetensors, .jsonl or .xlsx; or a folder
    /// of tables, one per arrangement
    pub(crate) file: PathBuf,
    /// The column with the true class [default: one called label, y_true, target, …]
    #[arg(long, value_name = "COLUMN")]
    pub(crate) label: Option<String>,
    /// The column with the ids [default: one called id, item, …; else rows are numbered]
    #[arg(long, value_name = "COLUMN")]
    pub(crate) id: Option<String>,
    /// The column with the numbers: of the second of two classes, or of an arrangement [default:
    /// probability, score, s_acc, …]
    #[arg(long, value_name = "COLUMN")]
    pub(crate) score: Option<String>,
    /// The classes in order, separated by commas [default: the columns, or what occurs]
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    pub(crate) classes: Vec<String>,
    /// What the numbers per class are
    #[arg(long, value_enum, default_value_t = AnswerFormArg::Auto)]
    pub(crate) form: AnswerFormArg,
    /// The column that says which items belong together, such as those of one patient: intervals are
    /// then over clusters [default: items are independent]
    #[arg(long, value_name = "COLUMN", conflicts_with_all = ["stream", "no_intervals"])]
    pub(crate) cluster: Option<String>,
    /// Only these gauges, separated by commas [default: all that apply]
    #[arg(long, value_name = "GAUGE,…", value_delimiter = ',')]
    pub(crate) only: Vec<String>,
    /// Keys of gauges, as s-struct.normalize=range, separated by commas [default: each gauge's own]
    #[arg(long, value_name = "GAUGE.KEY=VALUE,…", value_delimiter = ',', value_parser = gauge_key, conflicts_with = "stream")]
    pub(crate) set: Vec<(String, String, String)>,
    /// A table of two columns: the structure of each text that was arranged, for S_struct
    #[arg(long, value_name = "FILE", conflicts_with = "stream")]
    pub(crate) structures: Option<PathBuf>,
    /// Write what was read of arrangements into this folder, such as results/robustness: CSV and
    /// .xlsx with six decimals, a row per model
    #[arg(long, value_name = "FOLDER", conflicts_with = "stream")]
    pub(crate) out: Option<PathBuf>,
    /// Print JSON, with what each number is made of
    #[arg(long)]
    pub(crate) json: bool,
    /// Numbers without intervals, which is fast on millions of rows
    #[arg(long)]
    pub(crate) no_intervals: bool,
    /// How many times its size the file may expand to when it is read, beyond 1 GiB
    #[arg(long, default_value_t = 64, value_name = "TIMES")]
    pub(crate) expansion: u64,
    /// Go through a Parquet file without keeping it: counts and bins are exact, areas within a
    /// stated bound
    #[arg(long, conflicts_with_all = ["only", "id", "form", "resamples", "no_intervals"])]
    pub(crate) stream: bool,
    /// The level of the intervals
    #[arg(
        long,
        default_value_t = 0.95,
        value_name = "SHARE",
        conflicts_with = "no_intervals"
    )]
    pub(crate) level: f64,
    /// Resamples of a bootstrap
    #[arg(
        long,
        default_value_t = 2000,
        value_name = "N",
        conflicts_with = "no_intervals"
    )]
    pub(crate) resamples: usize,
}

#[derive(clap::Args)]
#[command(after_help = LABELS)]
pub(crate) struct AgreeArgs {
    /// The table: .csv, .jsonl, .parquet or .xlsx
    pub(crate) file: PathBuf,
    /// A column or rater that is a judge [default: called judge…, llm…, model…]
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    pub(crate) judge: Vec<String>,
    /// A column or rater that is a person [default: called human…, annotator…, expert…, gold…]
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    pub(crate) human: Vec<String>,
    /// Of two labels, the one that passes [default: pass, yes, true, 1, …]
    #[arg(long, value_name = "LABEL")]
    pub(crate) positive: Option<String>,
    /// What a number has to reach, as kappa=0.6; exit code 1 unless every one is shown to
    #[arg(long, value_name = "MEASURE=BAR,…", value_delimiter = ',', value_parser = measure_and_bar)]
    pub(crate) gate: Vec<(AgreementMeasure, f64)>,
    /// How many disagreements are listed
    #[arg(long, default_value_t = 20, value_name = "N")]
    pub(crate) disagreements: usize,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// The level of the intervals
    #[arg(long, default_value_t = 0.95, value_name = "SHARE")]
    pub(crate) level: f64,
    /// Resamples of a bootstrap
    #[arg(long, default_value_t = 10_000, value_name = "N")]
    pub(crate) resamples: usize,
}

const LABELS: &str = "Tables it reads:
  item,judge,human             a column per rater; an empty cell is no label
  item,judge_a,judge_b,human_1,human_2    several: people are taken together, by majority
  item,rater,label             a row per label; a column `kind` says judge or human

  duress agree labels.csv
  duress agree labels.csv --gate kappa=0.6,tnr=0.8
  duress agree ratings.xlsx --judge gpt --human ann,bo --json";

/// A key of a gauge as it is typed.
fn gauge_key(typed: &str) -> Result<(String, String, String), String> {
    let wrong = || format!("{typed:?} is not of the form GAUGE.KEY=VALUE");
    let (name, value) = typed.split_once('=').ok_or_else(wrong)?;
    let (gauge, key) = name.split_once('.').ok_or_else(wrong)?;
    Ok((gauge.into(), key.into(), value.into()))
}

#[derive(clap::Args)]
pub(crate) struct InjectArgs {
    /// The study file, with ladders that `use = "inject-llm"`
    pub(crate) study: PathBuf,
}

#[derive(clap::Args)]
#[command(after_help = SHEETS)]
pub(crate) struct ReviewArgs {
    /// The study file
    pub(crate) study: PathBuf,
    /// The folder that the sheet is written into
    #[arg(long, value_name = "FOLDER", default_value = "review")]
    pub(crate) out: PathBuf,
    /// Name no subtype: whoever reads the sheet says it
    #[arg(long, conflicts_with = "answers")]
    pub(crate) blind: bool,
    /// So many steps of each subtype at the most, first steps before second ones
    #[arg(long, value_name = "N", value_parser = at_least_one, conflicts_with = "answers")]
    pub(crate) most: Option<usize>,
    /// Read what people wrote: a table with `id`, and `subtype` or `verdict`
    #[arg(long, value_name = "FILE")]
    pub(crate) answers: Option<PathBuf>,
    /// What share of all steps has to be named rightly; exit code 1 if it is less
    #[arg(long, value_name = "SHARE", requires = "answers")]
    pub(crate) overall: Option<f64>,
    /// What share of each subtype has to be named rightly; exit code 1 if it is less
    #[arg(long, value_name = "SHARE", requires = "answers")]
    pub(crate) each: Option<f64>,
    /// Print JSON
    #[arg(long, requires = "answers")]
    pub(crate) json: bool,
}

const SHEETS: &str = "  duress review study.toml --out sheet          review.csv and review.html
  duress review study.toml --out sheet --blind  diffs.csv without subtypes, and sources.csv
  duress review study.toml --answers sheet/review.csv";

/// `kappa=0.6`.
fn measure_and_bar(text: &str) -> Result<(AgreementMeasure, f64), String> {
    let known = || AgreementMeasure::spellings().join(", ");
    let (measure, bar) = text
        .split_once('=')
        .ok_or("a bar is written as kappa=0.6")?;
    let measure = AgreementMeasure::from_word(measure)
        .ok_or_else(|| format!("there is no `{measure}`; there is {}", known()))?;
    let bar = bar.parse().map_err(|_| format!("`{bar}` is no number"))?;
    Ok((measure, bar))
}

const TABLES: &str = "Tables it reads:
  id,cat,dog,label           a column per class: probabilities or logits, told from the numbers
  p_cat,p_dog,label          the same with p_, prob_, logit_, … before the names
  probs,label                a list per row (Parquet, npz, JSON lines); classes are 0, 1, …
  prediction,confidence,label    what was said and how sure; confidence may be missing
  probability,label          two classes: a number about the second; a `prediction` beside it is not read
  item,arrangement,score     scores per arrangement (ABCD, ABDC, …, or original); or one sheet of a
                             workbook per arrangement, with item and score

  duress gauge preds.csv
  duress gauge preds.parquet --label diagnosis --only accuracy,ece
  duress gauge preds.csv --cluster patient
  duress gauge scores.xlsx --only mdr --json
  duress gauge huge.parquet --stream";

/// Forms of answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum AnswerFormArg {
    /// Told from the numbers
    Auto,
    /// Probabilities
    Probabilities,
    /// Logits
    Logits,
    /// What was said, and perhaps how sure
    Labels,
}

#[derive(clap::Args)]
pub(crate) struct ListArgs {
    /// Only parts of this kind
    pub(crate) kind: Option<PartKindArg>,
}

#[derive(clap::Args)]
pub(crate) struct ExplainArgs {
    /// The part
    pub(crate) name: String,
}

/// When a gate closes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Gate {
    /// Unless every claim is upheld
    Upheld,
    /// If some claim is refuted
    Refuted,
}

/// Kinds of part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PartKindArg {
    /// Where items come from
    #[value(alias = "datasets")]
    Dataset,
    /// What is under test
    #[value(alias = "subjects")]
    Subject,
    /// What makes life harder
    #[value(alias = "stressors")]
    Stressor,
    /// How answers are read
    #[value(alias = "gauges")]
    Gauge,
    /// What rates the answers of other subjects
    #[value(alias = "raters")]
    Rater,
}

impl From<PartKindArg> for PartKind {
    fn from(kind: PartKindArg) -> PartKind {
        match kind {
            PartKindArg::Dataset => PartKind::Dataset,
            PartKindArg::Subject => PartKind::Subject,
            PartKindArg::Stressor => PartKind::Stressor,
            PartKindArg::Gauge => PartKind::Gauge,
            PartKindArg::Rater => PartKind::Rater,
        }
    }
}

fn at_least_one(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) | Err(_) => Err("expected a whole number at or above 1".into()),
        Ok(jobs) => Ok(jobs),
    }
}
