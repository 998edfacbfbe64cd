//! The figures of a report: findings turned into what the figure crate draws.

use std::fs;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use duress_figure::font::Fonts;
use duress_figure::scene::Scene;
use duress_figure::svg::{self, Dress};
use duress_figure::{pdf, raster};
use duress_stats::parallel::crew;

use super::digest::{Digest, Panel};
use duress_core::word::Word;
use duress_findings::{FigureFormat, GaugeCard, Quantity, Under};

mod across;
mod curves;
mod details;
mod forests;
mod learning;
mod matrices;
mod robustness;
mod selective;

pub(crate) use robustness::{corruption_figure, missingness_figure};

/// How wide figures are: the text width of a paper, 7.1 inches.
const WIDTH: f64 = 680.0;
/// How wide each of many panels is on the page.
const SMALL: f64 = 330.0;
/// Beyond this many figures, PNG and PDF files are left to whoever asks for them.
const DRAWN: usize = 120;

/// Ladders of one gauge beyond which its curves become small multiples.
pub(crate) const LARGE: usize = 4;

/// A figure with its place in the report.
pub(crate) struct Figure {
    /// The name of its files, without the ending; none for a figure that is only on the page.
    pub(crate) file: Option<String>,
    /// Where the page shows it; none for a figure that is only a file.
    pub(crate) home: Option<Home>,
    /// What is drawn.
    pub(crate) scene: Scene,
    /// The formats of its files.
    pub(crate) formats: Vec<FigureFormat>,
}

impl Figure {
    fn new(file: Option<String>, home: Option<Home>, scene: Scene) -> Figure {
        Figure {
            file,
            home,
            scene,
            formats: Vec::new(),
        }
    }
}

/// Where the page shows a figure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Home {
    /// With the verdicts.
    Claims,
    /// At the head of this gauge.
    Gauge(String),
    /// With the panel of this number.
    Panel(usize),
    /// With the contrasts of this gauge.
    Contrasts(String),
    /// With what this gauge's numbers are made of.
    Details(String),
    /// With the exhibit of this number.
    Exhibit(usize),
    /// With how subjects were taught.
    Learning,
}

/// The figures of a report as they come in.
#[derive(Default)]
struct Album {
    figures: Vec<Figure>,
}

impl Album {
    /// A figure for the page and for a file.
    fn add(&mut self, file: String, home: Home, scene: Scene) {
        self.figures
            .push(Figure::new(Some(slug(&file)), Some(home), scene));
    }
}

/// Every figure, in the order of the report.
pub(crate) fn all(digest: &Digest<'_>) -> Vec<Figure> {
    let mut album = Album::default();
    for (family, claims) in forests::families(&digest.findings.claims) {
        album.add(
            format!("claims-{family}"),
            Home::Claims,
            forests::claim_forest(digest, &family, &claims).draw(WIDTH),
        );
    }
    for (i, gauge) in digest.gauges().enumerate() {
        of_gauge(&mut album, digest, gauge, i == 0);
    }
    for (i, exhibit) in digest.findings.exhibits.iter().enumerate() {
        if let Some(graphs) = across::graphs(digest, exhibit) {
            album.add(
                format!("graph-{}-{}", i + 1, exhibit.place.subject),
                Home::Exhibit(i),
                graphs.draw(WIDTH),
            );
        }
    }
    for (file, scene) in learning::all(digest) {
        album.add(file, Home::Learning, scene);
    }
    settle_formats(&mut album.figures, &digest.findings.study.figures);
    album.figures
}

/// One gauge along one ladder.
pub(crate) fn panel_figure(digest: &Digest<'_>, panel: &Panel<'_>) -> Scene {
    curves::panel_curves(digest, panel).draw(WIDTH)
}

/// Clean against the hardest rung; none with fewer than two subjects.
pub(crate) fn tradeoff_figure(digest: &Digest<'_>, panel: &Panel<'_>) -> Option<Scene> {
    across::tradeoff(digest, panel).map(|figure| figure.draw(WIDTH))
}

/// What a gauge's numbers are made of at one place; of several figures, the last.
pub(crate) fn detail_figure(digest: &Digest<'_>, gauge: &str, under: &Under) -> Option<Scene> {
    let card = digest
        .findings
        .gauges
        .iter()
        .find(|card| card.name == gauge)?;
    details::all(digest, card, under)
        .pop()
        .map(|(_, scene)| scene)
}

/// Bars of some gauges without stress, one group for each gauge.
pub(crate) fn gauge_bars(digest: &Digest<'_>, gauges: &[&str]) -> Option<Scene> {
    across::gauges(digest, gauges).map(|figure| figure.draw(WIDTH))
}

/// Accuracy without refusing beside that of the share that is answered, with the mean of the former
/// as a line.
pub(crate) fn selective_figure(
    digest: &Digest<'_>,
    overall: &str,
    selected: &str,
) -> Option<Scene> {
    let mut bars = across::gauges(digest, &[overall, selected])?;
    bars.references
        .extend(across::mean_line(digest, overall, "overall, mean"));
    bars.titles.title = format!("{overall} of all beside {selected}");
    bars.titles.remark += " Dashed: overall accuracy, the mean over subjects.";
    Some(bars.draw(WIDTH))
}

/// Accuracy over coverage, from half of the items on, with an upright line at the target.
pub(crate) fn coverage_figure(digest: &Digest<'_>, gauge: &str, target: f64) -> Option<Scene> {
    let card = digest
        .findings
        .gauges
        .iter()
        .find(|card| card.name == gauge)?;
    let curves = selective::coverage_accuracy(digest, card, &Under::Clean, (0.5, target));
    curves.map(|curves| curves.draw(WIDTH))
}

/// The formats that are wanted; PNG and PDF only where the figures are not too many.
fn settle_formats(figures: &mut [Figure], wanted: &[FigureFormat]) {
    let few = figures
        .iter()
        .filter(|figure| figure.file.is_some())
        .count()
        <= DRAWN;
    let formats: Vec<FigureFormat> = FigureFormat::ALL
        .iter()
        .copied()
        .filter(|format| wanted.is_empty() || wanted.contains(format))
        .filter(|format| few || *format == FigureFormat::Svg)
        .collect();
    for figure in figures.iter_mut().filter(|figure| figure.file.is_some()) {
        figure.formats.clone_from(&formats);
    }
}

fn of_gauge(album: &mut Album, digest: &Digest<'_>, gauge: &GaugeCard, first: bool) {
    let name = &gauge.name;
    let numbered = digest
        .panels
        .iter()
        .enumerate()
        .filter(|(_, panel)| panel.gauge.name == *name);
    let (numbers, panels): (Vec<usize>, Vec<&Panel<'_>>) = numbered.unzip();
    if let Some(bars) = across::conditions(digest, gauge) {
        album.add(
            format!("conditions-{name}"),
            Home::Gauge(name.clone()),
            bars.draw(WIDTH),
        );
    }
    if let Some(heat) = across::heat(digest, gauge, &panels) {
        album.add(
            format!("heat-{name}"),
            Home::Gauge(name.clone()),
            heat.draw(WIDTH),
        );
    }
    of_panels(album, digest, gauge, &numbers, &panels);
    if first {
        for panel in panels.iter().take(LARGE) {
            if let Some(tradeoff) = across::tradeoff(digest, panel) {
                let file = format!("tradeoff-{name}-{}-{}", panel.ladder.name, panel.dataset);
                album.add(file, Home::Details(name.clone()), tradeoff.draw(WIDTH));
            }
        }
    }
    let whole = digest
        .unders(name)
        .into_iter()
        .map(|(_, under)| under.clone());
    let whole = whole.filter(|under| matches!(under, Under::Ladder(_) | Under::Everything));
    let mut places = places_of_details(&panels);
    for under in whole {
        if !places.contains(&under) {
            places.push(under);
        }
    }
    for under in places {
        for (file, scene) in details::all(digest, gauge, &under) {
            album.add(file, Home::Details(name.clone()), scene);
        }
    }
    if let Some(forest) = forests::contrast_forest(digest, gauge) {
        album.add(
            format!("contrasts-{name}"),
            Home::Contrasts(name.clone()),
            forest.draw(WIDTH),
        );
    }
}

/// A figure per ladder; of many ladders, small ones on the page and one file that holds them all.
fn of_panels(
    album: &mut Album,
    digest: &Digest<'_>,
    gauge: &GaugeCard,
    numbers: &[usize],
    panels: &[&Panel<'_>],
) {
    if panels.len() <= LARGE {
        for (&i, panel) in numbers.iter().zip(panels) {
            let file = format!(
                "curve-{}-{}-{}",
                gauge.name, panel.ladder.name, panel.dataset
            );
            album.add(
                file,
                Home::Panel(i),
                curves::panel_curves(digest, panel).draw(WIDTH),
            );
        }
    }
    if panels.len() > 1 {
        let multiples = curves::multiples(digest, gauge, panels);
        let file = Some(slug(&format!("ladders-{}", gauge.name)));
        album
            .figures
            .push(Figure::new(file, None, multiples.draw(WIDTH)));
        if panels.len() > LARGE {
            for (&i, small) in numbers.iter().zip(multiples.alike()) {
                album
                    .figures
                    .push(Figure::new(None, Some(Home::Panel(i)), small.draw(SMALL)));
            }
        }
    }
}

/// Clean, and the hardest rung of each ladder.
fn places_of_details(panels: &[&Panel<'_>]) -> Vec<Under> {
    let mut places = vec![Under::Clean];
    for panel in panels.iter().take(LARGE) {
        let hardest = panel
            .ladder
            .severities
            .last()
            .filter(|severity| !severity.is_clean());
        let under = hardest.map(|severity| Under::Rung {
            ladder: panel.ladder.name.clone(),
            severity: severity.clone(),
        });
        places.extend(under.filter(|under| !places.contains(under)));
    }
    places
}

/// The fonts that the files of these figures need: the shipped one, and one of this machine for
/// what it lacks.
pub(crate) fn fonts(figures: &[Figure]) -> Fonts {
    Fonts::for_texts(texts(figures))
}

/// What none of these fonts can show, so that a box stands for it.
pub(crate) fn lacking(figures: &[Figure], fonts: &Fonts) -> Vec<char> {
    fonts.lacks(texts(figures))
}

fn texts(figures: &[Figure]) -> impl Iterator<Item = &str> {
    let marks = figures
        .iter()
        .filter(|figure| figure.file.is_some())
        .flat_map(|figure| &figure.scene.marks);
    marks
        .filter_map(|mark| mark.words())
        .map(|text| text.words.as_str())
}

/// Writes every figure into `folder` in its formats, on the threads there are.
pub(crate) fn write(figures: &[Figure], fonts: &Fonts, folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let files: Vec<(&str, &Figure)> = figures
        .iter()
        .filter_map(|figure| Some((figure.file.as_deref()?, figure)))
        .collect();
    let next = AtomicUsize::new(0);
    let work = || -> io::Result<()> {
        while let Some((name, figure)) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
            write_one(name, figure, fonts, folder)?;
        }
        Ok(())
    };
    crew(files.len(), work).into_iter().collect()
}

fn write_one(name: &str, figure: &Figure, fonts: &Fonts, folder: &Path) -> io::Result<()> {
    let scene = &figure.scene;
    for &format in &figure.formats {
        let bytes = match format {
            FigureFormat::Svg => svg::write(scene, Dress::Alone).into_bytes(),
            FigureFormat::Png => raster::write(scene, fonts).map_err(io::Error::other)?,
            FigureFormat::Pdf => pdf::write(scene, fonts),
        };
        fs::write(folder.join(format!("{name}.{format}")), bytes)?;
    }
    Ok(())
}

/// A name that may stand in a path: letters, digits, and dashes between them.
pub(crate) fn slug(name: &str) -> String {
    let safe: String = name
        .chars()
        .map(|c| {
            if c.is_alphanumeric() || c == '.' || c == '_' {
                c
            } else {
                '-'
            }
        })
        .collect();
    let short: String = safe.chars().take(100).collect();
    short.trim_matches(['-', '.']).to_owned()
}

/// Whether an interval excludes zero.
pub(crate) fn stands(quantity: &Quantity) -> bool {
    quantity
        .interval
        .as_ref()
        .is_ok_and(|range| range.low > 0.0 || range.high < 0.0)
}
