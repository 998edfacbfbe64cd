//! A file of idioms as people have it: with or without a header, with repeats, gaps and a second
//! file of structures. Whatever is odd is counted and told.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use duress_core::data::TableUse;
use duress_core::problem::Problem;
use duress_core::word::Word;
use duress_tables::excerpt::{excerpt_of_name, names_in_message};
use duress_tables::formats;
use duress_tables::table::{Head, Table, no_column, other_columns, plain_texts};
use duress_tables::two_columns::{plain_cell, two_columns};
use duress_text::chinese_form::{self, ChineseForm};

/// One item to be: the idiom, its explanations, its structure.
pub(crate) struct IdiomEntry {
    pub(crate) idiom: String,
    pub(crate) explanations: Vec<String>,
    pub(crate) structure: Option<String>,
    /// What it means in English, for readers of exhibits.
    pub(crate) translation: Option<String>,
}

/// The idioms of a file, what else it says of them by column, and what is odd about it.
pub(crate) struct IdiomFile {
    pub(crate) entries: Vec<IdiomEntry>,
    pub(crate) columns: Vec<(String, Vec<String>)>,
    pub(crate) language: String,
    pub(crate) remarks: Vec<String>,
}

/// Where the idioms are.
pub(crate) struct IdiomPaths {
    /// The file of idioms.
    pub(crate) idioms: PathBuf,
    /// The file of their structures, where one is named; else the one beside it is taken, if any.
    pub(crate) structures: Option<PathBuf>,
    /// Their language, where it is said.
    pub(crate) language: Option<String>,
}

/// What the column with the idioms is called.
const IDIOM_COLUMNS: [&str; 5] = ["idiom", "成语", "原始词语", "expression", "chengyu"];
/// What the column with their explanations is called.
const EXPLANATION_COLUMNS: [&str; 4] = ["explanation", "reference", "解释", "释义"];
/// What the column with their structure is called.
const STRUCTURE_COLUMNS: [&str; 3] = ["structure", "structural_type", "结构"];
/// How languages are called in the names of files, the longest first, since one holds another.
const LANGUAGES: [(&str, &str); 5] = [
    ("traditional", "traditional-chinese"),
    ("simplified", "simplified-chinese"),
    ("japanese", "japanese"),
    ("korean", "korean"),
    ("chinese", "simplified-chinese"),
];
/// How many characters an idiom usually has.
const USUAL_LENGTH: usize = 4;

impl IdiomPaths {
    /// Reads the idioms and their structures.
    pub(crate) fn read(&self) -> Result<IdiomFile, Problem> {
        let rows = IdiomRows::read(&self.idioms)?;
        let mut remarks: Vec<String> = rows.headless_remark().into_iter().collect();
        let (mut entries, kept) = rows.entries(&mut remarks)?;
        if let Some(file) = self.structure_file() {
            join_structures(&mut entries, &file, &mut remarks)?;
        }
        let language = self.language(&entries);
        remarks.extend(oddities(&entries, &language));
        Ok(IdiomFile {
            columns: rows.columns(&kept),
            entries,
            language,
            remarks,
        })
    }

    /// What is read of which columns.
    pub(crate) fn tables(&self) -> Result<Vec<TableUse>, Problem> {
        let every = |heads: &[Head]| Ok(heads.iter().map(|head| head.name.clone()).collect());
        let files = std::iter::once(self.idioms.clone()).chain(self.structure_file());
        files.map(|file| formats::table_use(&file, every)).collect()
    }

    fn structure_file(&self) -> Option<PathBuf> {
        let beside = || {
            let stem = self.idioms.file_stem()?.to_str()?;
            let file = self.idioms.with_file_name(format!("{stem}.structure.csv"));
            file.exists().then_some(file)
        };
        self.structures.clone().or_else(beside)
    }

    /// What was said, what the file's name says, or what the characters show.
    fn language(&self, entries: &[IdiomEntry]) -> String {
        let stem = self.idioms.file_stem().unwrap_or_default();
        let stem = stem.to_string_lossy().to_lowercase();
        let named = LANGUAGES.iter().find(|(word, _)| stem.contains(word));
        let said = self.language.clone();
        said.or_else(|| named.map(|(_, language)| (*language).into()))
            .unwrap_or_else(|| language_of(entries).into())
    }
}

/// The language that the characters of most idioms show.
fn language_of(entries: &[IdiomEntry]) -> &'static str {
    let among = |c: char, range: std::ops::RangeInclusive<char>| range.contains(&c);
    let count = |is: &dyn Fn(&str) -> bool| entries.iter().filter(|one| is(&one.idiom)).count();
    let hangul = count(&|text| text.chars().any(|c| among(c, '가'..='힣')));
    let kana = count(&|text| text.chars().any(|c| among(c, 'ぁ'..='ヿ')));
    let of_form = |form| count(&|text| chinese_form::form_of(text) == Some(form));
    let simplified = of_form(ChineseForm::Simplified);
    let traditional = of_form(ChineseForm::Traditional);
    match 2 * hangul > entries.len() {
        true => "korean",
        false if kana > 0 => "japanese",
        false if simplified > traditional => "simplified-chinese",
        false if traditional > simplified => "traditional-chinese",
        false => "unknown",
    }
}

/// The rows of a file, whether or not its first one is a header.
struct IdiomRows {
    table: Table,
    heads: Vec<Head>,
    /// Whether the names of the columns are the first row.
    headless: bool,
    idiom: usize,
    explanation: Option<usize>,
    structure: Option<usize>,
}

impl IdiomRows {
    fn read(file: &Path) -> Result<IdiomRows, Problem> {
        let mut heads = Vec::new();
        let table = formats::read_if_any(file, &mut |found| {
            heads = found.to_vec();
            Ok(plain_texts(found))
        })?;
        let named = |words: &[&str]| {
            let is = |head: &Head| {
                let name = plain_cell(&head.name);
                words.iter().any(|word| name.eq_ignore_ascii_case(word))
            };
            heads.iter().position(is)
        };
        let found = (named(&IDIOM_COLUMNS), named(&EXPLANATION_COLUMNS));
        let headless = found == (None, None) && looks_headless(&heads, &table);
        let structure = named(&STRUCTURE_COLUMNS).filter(|_| !headless);
        // A column of another name may hold the explanations: only where there is none are there none.
        let known = [found.0, structure];
        let none_unread = (0..heads.len()).all(|column| known.contains(&Some(column)));
        let (idiom, explanation) = match found {
            _ if headless => (0, (heads.len() > 1).then_some(1)),
            (Some(idiom), None) if none_unread => (idiom, None),
            (Some(idiom), Some(explanation)) => (idiom, Some(explanation)),
            (idiom, _) => {
                let lacking = idiom.map_or("idiom", |_| "explanation");
                return Err(no_column(lacking, &heads)
                    .hint_if_none("a file without a header has idioms of four characters in its first column and explanations in its second")
                    .in_file(file));
            }
        };
        Ok(IdiomRows {
            table,
            heads,
            headless,
            idiom,
            explanation,
            structure,
        })
    }

    /// Every row as its cells, the header first where it is a row.
    fn cells(&self, column: usize) -> Vec<&str> {
        let name = self.heads[column].name.as_str();
        let first = self.headless.then_some(name);
        let rest = self.table.texts(name).iter();
        first.into_iter().chain(rest).map(plain_cell).collect()
    }

    fn headless_remark(&self) -> Option<String> {
        self.headless.then(|| {
            format!(
                "there is no header: the first row, {}, is an idiom too",
                excerpt_of_name(plain_cell(&self.heads[self.idiom].name))
            )
        })
    }

    /// The idioms, each once, and the rows they are first told in.
    fn entries(&self, remarks: &mut Vec<String>) -> Result<(Vec<IdiomEntry>, Vec<usize>), Problem> {
        let idioms = self.cells(self.idiom);
        let explanations = self.explanation.map(|column| self.cells(column));
        let structures = self.structure.map(|column| self.cells(column));
        let mut entries: Vec<IdiomEntry> = Vec::new();
        let mut kept = Vec::new();
        let mut places: HashMap<&str, usize> = HashMap::new();
        let mut empty = 0;
        let mut repeated = Vec::new();
        for (row, &idiom) in idioms.iter().enumerate() {
            if idiom.is_empty() {
                empty += 1;
                continue;
            }
            let explanation = explanations.as_ref().map_or("", |all| all[row]);
            let structure = structures.as_ref().map_or("", |all| all[row]);
            let at = *places.entry(idiom).or_insert(entries.len());
            if at == entries.len() {
                entries.push(IdiomEntry {
                    idiom: idiom.into(),
                    explanations: Vec::new(),
                    structure: Some(structure.to_owned()).filter(|word| !word.is_empty()),
                    translation: None,
                });
                kept.push(row);
            } else {
                repeated.push(idiom);
            }
            let own = &mut entries[at].explanations;
            for piece in explanation.split("||").map(str::trim) {
                if !piece.is_empty() && !own.iter().any(|known| known == piece) {
                    own.push(piece.into());
                }
            }
        }
        if entries.is_empty() {
            return Err(formats::no_row().in_file(self.table.file()));
        }
        remarks.extend((empty > 0).then(|| format!("{empty} rows without an idiom are left out")));
        remarks.extend((!repeated.is_empty()).then(|| {
            format!(
                "{} rows repeat an idiom ({}): it is one item, with the explanations of all its rows",
                repeated.len(),
                some(&repeated)
            )
        }));
        Ok((entries, kept))
    }

    /// What other columns say of the rows that are kept.
    fn columns(&self, kept: &[usize]) -> Vec<(String, Vec<String>)> {
        if self.headless {
            return Vec::new();
        }
        let own: Vec<&str> = [Some(self.idiom), self.explanation, self.structure]
            .into_iter()
            .flatten()
            .map(|column| self.heads[column].name.as_str())
            .collect();
        let of = |name: String| {
            let cells = self.table.texts(&name);
            let values = kept.iter().map(|&row| cells.get(row).trim().to_owned());
            let values = values.collect();
            (name, values)
        };
        other_columns(&self.heads, &own)
            .into_iter()
            .map(of)
            .collect()
    }
}

/// Whether the first row is an idiom and no header: there are two columns at most, and its first
/// cell is as long as idioms are, as most first cells are.
fn looks_headless(heads: &[Head], table: &Table) -> bool {
    let Some(first) = heads.first().filter(|_| heads.len() <= 2) else {
        return false;
    };
    let usual = |text: &str| {
        let text = plain_cell(text);
        text.chars().count() == USUAL_LENGTH && !text.is_ascii()
    };
    let rows = table.texts(&first.name);
    let like_it = rows.iter().filter(|text| usual(text)).count();
    usual(&first.name) && 2 * like_it >= rows.len()
}

/// Joins structures by idiom.
fn join_structures(
    entries: &mut [IdiomEntry],
    file: &Path,
    remarks: &mut Vec<String>,
) -> Result<(), Problem> {
    let rows = two_columns(file, &IDIOM_COLUMNS)?;
    let mut by_idiom: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (idiom, structure) in &rows {
        let known = by_idiom.entry(idiom).or_default();
        if !known.contains(&structure.as_str()) {
            known.push(structure);
        }
    }
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let mut joined = 0;
    let mut several = Vec::new();
    for entry in &mut *entries {
        let Some(found) = by_idiom.remove(entry.idiom.as_str()) else {
            continue;
        };
        joined += 1;
        if found.len() > 1 {
            several.push(entry.idiom.clone());
        }
        entry.structure = found.first().map(|word| (*word).to_owned());
    }
    remarks.push(format!(
        "structures of {joined} of {} idioms are from `{name}`",
        entries.len()
    ));
    remarks.extend((!several.is_empty()).then(|| {
        format!(
            "{} idioms have two structures there ({}): the first is taken",
            several.len(),
            some(&several)
        )
    }));
    let unmatched: Vec<&str> = by_idiom.into_keys().collect();
    remarks.extend((!unmatched.is_empty()).then(|| {
        format!(
            "{} idioms of `{name}` are not among them ({})",
            unmatched.len(),
            some(&unmatched)
        )
    }));
    Ok(())
}

/// What is odd about idioms that were read: lengths, gaps, placeholders, the other form of Chinese.
fn oddities(entries: &[IdiomEntry], language: &str) -> Vec<String> {
    let pick = |is: &dyn Fn(&IdiomEntry) -> bool| -> Vec<&str> {
        entries
            .iter()
            .filter(|entry| is(entry))
            .map(|entry| entry.idiom.as_str())
            .collect()
    };
    let all = entries.len();
    let told = |found: Vec<&str>, what: &str| {
        (!found.is_empty()).then(|| format!("{} of {all} {what} ({})", found.len(), some(&found)))
    };
    let odd_length = pick(&|entry| entry.idiom.chars().count() != USUAL_LENGTH);
    let invisible = pick(&|entry| entry.idiom.chars().any(is_invisible));
    let unexplained = pick(&|entry| entry.explanations.is_empty());
    let placeholder = pick(&|entry| entry.explanations.iter().any(|text| is_placeholder(text)));
    let unlabelled = pick(&|entry| entry.structure.is_none());
    let other_form = match language {
        "traditional-chinese" => Some(ChineseForm::Simplified),
        "simplified-chinese" => Some(ChineseForm::Traditional),
        _ => None,
    };
    let foreign = other_form.map(|form| {
        let explained_so = |entry: &IdiomEntry| {
            let mut forms = entry
                .explanations
                .iter()
                .map(|text| chinese_form::form_of(text));
            forms.any(|found| found == Some(form))
        };
        let what = format!("have a reference in {} characters", form.word());
        told(pick(&explained_so), &what)
    });
    [
        told(
            odd_length,
            "are not of four characters: they have no arrangement of four",
        ),
        told(
            invisible,
            "have a character in them that nobody sees: it counts and is moved as any other",
        ),
        told(
            unexplained,
            "have no explanation: what is said of them is compared with nothing",
        ),
        told(
            placeholder,
            "have an explanation that looks like a placeholder",
        ),
        told(unlabelled, "have no structure that is known"),
        foreign.flatten(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Whether a character takes no room: joiners, marks of direction, a byte order mark, control codes.
fn is_invisible(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

/// Whether an explanation explains nothing: a mark for what is missing, or the name of a dictionary.
fn is_placeholder(text: &str) -> bool {
    const MARKS: [&str; 12] = [
        "n/a",
        "na",
        "nan",
        "none",
        "null",
        "todo",
        "tbd",
        "-",
        "?",
        "暂无",
        "待补充",
        "无",
    ];
    let named = |word: &str| {
        let before = text.strip_suffix(word).unwrap_or_default();
        !before.is_empty() && before.is_ascii()
    };
    MARKS.iter().any(|mark| text.eq_ignore_ascii_case(mark)) || named("解释") || named("释义")
}

/// The first few of a list, in words.
fn some<T: AsRef<str>>(all: &[T]) -> String {
    const SHOWN: usize = 3;
    let first = names_in_message(all.iter().take(SHOWN).map(AsRef::as_ref));
    let more = if all.len() > SHOWN { ", …" } else { "" };
    first + more
}
