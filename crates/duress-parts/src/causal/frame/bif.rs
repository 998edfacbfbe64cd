//! Networks in the Bayesian interchange format (`.bif`), of which the graph is read: whom each
//! `probability ( child | parents )` names. The numbers are passed over.

use std::path::Path;

use duress_core::problem::Problem;

/// Whether a file is called as such networks are.
pub(crate) fn is_network(file: &Path) -> bool {
    file.extension()
        .is_some_and(|ending| ending.eq_ignore_ascii_case("bif"))
}

/// The edges, from parents to children, by the positions of the variables.
pub(crate) fn edges(file: &Path, variables: &[String]) -> Result<Vec<(u32, u32)>, Problem> {
    let unreadable = |why: std::io::Error| Problem::new(format!("cannot be read: {why}"));
    let text = std::fs::read_to_string(file).map_err(|why| unreadable(why).in_file(file))?;
    edges_of(&text, variables).map_err(|problem| problem.in_file(file))
}

fn edges_of(text: &str, variables: &[String]) -> Result<Vec<(u32, u32)>, Problem> {
    let mut edges = Vec::new();
    let mut blocks = 0;
    for (nth, line) in text.lines().enumerate() {
        let Some(family) = family_in(line) else {
            continue;
        };
        blocks += 1;
        let place = |name: &str| {
            let at = variables.iter().position(|known| known == name);
            at.map(|at| at as u32).ok_or_else(|| {
                Problem::new(format!("line {}: there is no variable `{name}`", nth + 1))
                    .expected(format!("one of `{}`", variables.join("`, `")))
            })
        };
        let child = place(&family.child)?;
        for parent in &family.parents {
            edges.push((place(parent)?, child));
        }
    }
    match blocks {
        0 => Err(Problem::new("there is no `probability ( … )` block")
            .expected("a network in the Bayesian interchange format")),
        _ => Ok(edges),
    }
}

/// A variable and those it depends on.
struct Family {
    child: String,
    parents: Vec<String>,
}

/// The family that a line declares, if it does.
fn family_in(line: &str) -> Option<Family> {
    let rest = line.trim_start().strip_prefix("probability")?;
    let inside = rest.trim_start().strip_prefix('(')?;
    let inside = &inside[..inside.find(')')?];
    let (child, parents) = inside.split_once('|').unwrap_or((inside, ""));
    let name = |text: &str| text.trim().trim_matches('"').to_string();
    let parents = parents.split(',').map(name).filter(|name| !name.is_empty());
    Some(Family {
        child: name(child),
        parents: parents.collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const RAIN: &str = r#"network unknown {
}
variable rain {
  type discrete [ 2 ] { yes, no };
}
probability ( rain ) {
  table 0.2, 0.8;
}
probability ( "wet" | rain, sprinkler ) {
  (yes, on) 0.99, 0.01;
}
probability(sprinkler|rain){
  (yes) 0.1, 0.9;
}
"#;

    fn names(of: &[&str]) -> Vec<String> {
        of.iter().map(|name| (*name).into()).collect()
    }

    #[test]
    fn parents_point_to_children() {
        let edges = edges_of(RAIN, &names(&["wet", "sprinkler", "rain"])).unwrap();
        assert_eq!(edges, [(2, 0), (1, 0), (2, 1)]);
    }

    #[test]
    fn an_unknown_name_is_refused_with_its_line_and_an_empty_file_with_what_is_missing() {
        let why = |text: &str| {
            edges_of(text, &names(&["wet", "rain"]))
                .unwrap_err()
                .to_string()
        };
        let unknown = why(RAIN);
        assert!(
            unknown.contains("line 9") && unknown.contains("`sprinkler`"),
            "{unknown}"
        );
        assert!(why("").contains("no `probability"));
    }
}
