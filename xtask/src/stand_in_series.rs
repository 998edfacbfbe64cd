//! Made-up series of the shape of real ones that are not ours to ship: UCI Air Quality (thirteen sensors hour by
//! hour, semicolons, decimal commas, −200 where a value is missing) and five gauges of rivers.

use std::fmt::Write;
use std::path::Path;

use crate::sachs::StandInDraws;
use crate::step::Done;

const AIR_HEADS: &str = "Date;Time;CO(GT);PT08.S1(CO);NMHC(GT);C6H6(GT);PT08.S2(NMHC);NOx(GT);PT08.S3(NOx);NO2(GT);PT08.S4(NO2);PT08.S5(O3);T;RH;AH;;";
const RIVER_HEADS: &str = "Henthorn,Hodder Place,Whalley Weir,New Jumbles Rock,Samlesbury";

/// Rows: enough windows of 24 for every learner, few enough for seconds.
const ROWS: usize = 24 * 60;

/// Every so many values one is missing.
const GAP: usize = 11;

/// Writes `AirQualityUCI.csv` and `river.csv` into a folder; always the same.
pub(crate) fn write(folder: &Path) -> Done {
    let mut air = format!("{AIR_HEADS}\r\n");
    for (hour, row) in series(13, 2008).iter().enumerate() {
        let (day, clock) = (hour / 24, hour % 24);
        let _ = write!(
            air,
            "{:02}/{:02}/2004;{clock:02}.00.00",
            1 + day % 28,
            3 + day / 28
        );
        for (sensor, value) in row.iter().enumerate() {
            let hidden = (hour * row.len() + sensor).is_multiple_of(GAP);
            let shown = if hidden { -200.0 } else { 50.0 + 10.0 * value };
            let _ = write!(air, ";{}", format!("{shown:.1}").replace('.', ","));
        }
        air += ";;\r\n";
    }
    let mut rivers = format!("{RIVER_HEADS}\n");
    for row in series(5, 2021) {
        let flows: Vec<String> = row.iter().map(|x| format!("{:.1}", 30.0 + x)).collect();
        let _ = writeln!(rivers, "{}", flows.join(","));
    }
    let put = |name: &str, text: String| {
        std::fs::write(folder.join(name), text).map_err(|error| format!("{name}: {error}"))
    };
    put("AirQualityUCI.csv", air)?;
    put("river.csv", rivers)
}

/// Variables on a circle, each of which remembers itself and hears the one before it.
fn series(width: usize, seed: u64) -> Vec<Vec<f64>> {
    let mut draws = StandInDraws(seed);
    let mut state = vec![0.0; width];
    let mut rows = Vec::with_capacity(ROWS);
    for _ in 0..ROWS {
        let before = state.clone();
        for at in 0..width {
            let heard = before[(at + width - 1) % width];
            state[at] = 0.6 * before[at] + 0.3 * heard + draws.next();
        }
        rows.push(state.clone());
    }
    rows
}
