//! Files that other software wrote, and files that are damaged: read back bit for bit, or refused.

use std::path::{Path, PathBuf};

use duress_tables::formats;
use duress_tables::table::{Column, RowPlace, Table, Want};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures")
        .join(name)
}

fn everything(name: &str, want: Want) -> Table {
    formats::read(&fixture(name), &mut |heads| {
        Ok(heads
            .iter()
            .map(|head| if head.listed { Want::Nothing } else { want })
            .collect())
    })
    .unwrap_or_else(|problem| panic!("{problem}"))
}

#[test]
fn whole_numbers_flags_and_bytes_of_every_width_are_read() {
    let check = |table: &Table, name: &str, number: fn(i32) -> String| {
        let expected: Vec<String> = (0..40).map(number).collect();
        assert_eq!(
            table.texts(name).iter().collect::<Vec<_>>(),
            expected,
            "{name}"
        );
    };
    let flag = |i: i32| (if i % 3 == 0 { "True" } else { "False" }).to_string();
    let table = everything("kinds.npz", Want::Texts);
    check(&table, "i8", |i| (i64::from(i - 20) << 40).to_string());
    for name in ["i4", "i2", "i1"] {
        check(&table, name, |i| (i - 20).to_string());
    }
    for name in ["u4", "u2", "u1"] {
        check(&table, name, |i| i.to_string());
    }
    check(&table, "u8", |i| {
        (9_223_372_036_854_775_808 + u64::from(i.unsigned_abs())).to_string()
    });
    check(&table, "flag", flag);
    check(&table, "bytes", |i| format!("item-{i}"));
    let table = everything("list.parquet", Want::Texts);
    check(&table, "whole", |i| (i - 20).to_string());
    check(&table, "u8", |i| {
        (9_223_372_036_854_775_808 + u64::from(i.unsigned_abs())).to_string()
    });
    check(&table, "flag", flag);
}

#[test]
fn a_csv_reads_back_what_was_written_whatever_the_cells_hold() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.csv");
    let mut chance = Chance(7);
    for _ in 0..200 {
        let cells: Vec<[String; 2]> = (0..1 + chance.below(6))
            .map(|_| [chance.cell(), chance.cell()])
            .collect();
        let line_end = ["\n", "\r\n"][chance.below(2)];
        let quote = |cell: &String| format!("\"{}\"", cell.replace('"', "\"\""));
        let rows: String = cells
            .iter()
            .map(|[a, b]| format!("{},{}{line_end}", quote(a), quote(b)))
            .collect();
        std::fs::write(&path, format!("a,b{line_end}{rows}")).unwrap();
        let table = formats::read(&path, &mut |_| Ok(vec![Want::Texts, Want::Texts])).unwrap();
        let found: Vec<[String; 2]> = (0..table.rows())
            .map(|row| ["a", "b"].map(|name| table.texts(name).get(row).into()))
            .collect();
        assert_eq!(found, cells);
    }
}

/// Chance for tests: the same on every machine.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    fn cell(&mut self) -> String {
        let letters = ['a', '"', ',', '\n', '\r', ' ', 'ß', '猫', '0'];
        (0..self.below(6))
            .map(|_| letters[self.below(letters.len())])
            .collect()
    }
}

/// Changes, drops or doubles a few bytes, or cuts the rest off.
fn damage(whole: &[u8], chance: &mut Chance) -> Vec<u8> {
    let mut bytes = whole.to_vec();
    for _ in 0..1 + chance.below(4) {
        let at = chance
            .below(bytes.len().max(1))
            .min(bytes.len().saturating_sub(1));
        match chance.below(8) {
            _ if bytes.is_empty() => {}
            0 => bytes.truncate(at),
            1 => drop(bytes.remove(at)),
            2 => bytes.insert(at, bytes[at]),
            3 => bytes[at] = [0, 0x7f, 0x80, 0xff][chance.below(4)],
            4 => bytes[at] ^= 1 << chance.below(8),
            _ => bytes[at] = chance.next() as u8,
        }
    }
    bytes
}

#[test]
fn a_damaged_file_is_read_or_refused_and_never_breaks_the_program() {
    let folder = tempfile::tempdir().unwrap();
    let mut chance = Chance(42);
    for entry in std::fs::read_dir(fixture("")).unwrap() {
        let path = entry.unwrap().path();
        let whole = std::fs::read(&path).unwrap();
        let copy = folder.path().join(path.file_name().unwrap());
        for _ in 0..rounds() {
            std::fs::write(&copy, damage(&whole, &mut chance)).unwrap();
            let wants: [fn(usize) -> Want; 3] = [|_| Want::Numbers, |_| Want::Texts, Want::InRow];
            for want in wants {
                let read =
                    formats::read(&copy, &mut |heads| Ok((0..heads.len()).map(want).collect()));
                if let Ok(table) = read {
                    assert!(table.rows() > 0);
                }
            }
        }
    }
}

/// How often each fixture is damaged; `DURESS_ROUNDS` asks for more.
fn rounds() -> usize {
    std::env::var("DURESS_ROUNDS")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(100)
}

#[test]
fn a_table_gives_back_what_it_was_made_of() {
    let column = Column::Numbers {
        width: 2,
        values: vec![1.0, 2.0, 3.0, 4.0],
    };
    let place = RowPlace::Rows;
    let table = Table::new(Path::new("t.npz"), place, vec![("x".into(), column)]).unwrap();
    assert_eq!((table.rows(), table.numbers("x").0), (2, 2));
}

#[test]
fn a_damaged_header_of_parquet_with_an_endless_list_is_refused_at_once() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../duress-cli/fuzz/corpus/parquet/endless_list.parquet");
    let columns = formats::heads(&file).unwrap().len();
    let refused = (0..columns).filter(|column| {
        let mut only = |heads: &[duress_tables::table::Head]| {
            let want = |at: usize| match at == *column {
                true => Want::Texts,
                false => Want::Nothing,
            };
            Ok((0..heads.len()).map(want).collect())
        };
        formats::read(&file, &mut only).is_err()
    });
    assert!(refused.count() > 0);
}
