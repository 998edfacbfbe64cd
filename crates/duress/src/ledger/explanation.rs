//! Explanations as columns: a map is one piece of bytes, numbers beside points are columns.

use duress_core::answer::{Absence, Answers, AttributionMap, CurveAnswers, MapAnswers};
use duress_core::explanation::AskedExplanation;

use super::cell::{KeptShape, Out, absences_in, absences_out};
use super::columns::{LedgerColumn, LedgerTable};

/// Ids and answers of a table.
type In = (Vec<String>, Answers);

/// Each map as its values in half precision, two bytes each, beside the largest; one that is absent
/// has none.
pub(super) fn maps_out(ids: &[String], said: &MapAnswers) -> Out {
    let mut columns = vec![("id".into(), LedgerColumn::Texts(ids.to_vec()))];
    let absent = said.maps().iter().map(|map| map.as_ref().err());
    columns.extend(absences_out(absent));
    let largest = said.maps().iter();
    let largest = largest.map(|map| map.as_ref().map_or(0.0, |map| f64::from(map.largest())));
    let bytes = said.maps().iter().map(|map| {
        let halves = map.as_ref().map_or(&[][..], AttributionMap::halves);
        halves.iter().flat_map(|half| half.to_le_bytes()).collect()
    });
    columns.push(("largest".into(), LedgerColumn::Numbers(largest.collect())));
    columns.push(("map".into(), LedgerColumn::Bytes(bytes.collect())));
    let shape = KeptShape::Maps {
        asked: said.asked(),
        height: said.height(),
        width: said.width(),
    };
    (columns, shape)
}

pub(super) fn maps_in(
    table: &mut LedgerTable,
    asked: AskedExplanation,
    size: (usize, usize),
) -> Result<In, String> {
    let ids = table.texts("id")?;
    let absent = absences_in(table)?;
    let largest = table.numbers("largest")?;
    let bytes = table.bytes("map")?;
    let map = |((why, largest), bytes): ((Option<Absence>, f64), Vec<u8>)| match why {
        Some(why) => Err(why),
        None => {
            let (pairs, _) = bytes.as_chunks::<2>();
            let halves = pairs.iter().map(|two| u16::from_le_bytes(*two)).collect();
            Ok(AttributionMap::from_halves(largest as f32, halves))
        }
    };
    let maps = absent.into_iter().zip(largest).zip(bytes).map(map);
    let maps = MapAnswers::new(asked, size, maps.collect());
    Ok((ids, Answers::Maps(maps)))
}

/// Numbered columns; an absent row holds zeros that nobody reads.
pub(super) fn curves_out(ids: &[String], said: &CurveAnswers) -> Out {
    let mut columns = vec![("id".into(), LedgerColumn::Texts(ids.to_vec()))];
    let absent = said.rows().iter().map(|row| row.as_ref().err());
    columns.extend(absences_out(absent));
    for at in 0..said.points().len() {
        let value = |row: &Result<Vec<f64>, Absence>| row.as_ref().map_or(0.0, |row| row[at]);
        let column = said.rows().iter().map(value).collect();
        columns.push((format!("point {at}"), LedgerColumn::Numbers(column)));
    }
    let shape = KeptShape::Curves {
        asked: said.asked(),
        points: said.points().to_vec(),
    };
    (columns, shape)
}

pub(super) fn curves_in(
    table: &mut LedgerTable,
    asked: AskedExplanation,
    points: Vec<String>,
) -> Result<In, String> {
    let ids = table.texts("id")?;
    let absent = absences_in(table)?;
    let columns = (0..points.len()).map(|at| table.numbers(&format!("point {at}")));
    let columns = columns.collect::<Result<Vec<_>, _>>()?;
    let row = |(item, why): (usize, Option<Absence>)| match why {
        Some(why) => Err(why),
        None => Ok(columns.iter().map(|column| column[item]).collect()),
    };
    let rows = absent.into_iter().enumerate().map(row).collect();
    let curves = CurveAnswers::new(asked, points, rows);
    Ok((ids, Answers::Curves(curves)))
}
