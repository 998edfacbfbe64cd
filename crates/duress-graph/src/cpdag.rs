//! Partly directed graphs: what independence alone can say about a graph, and the rules that say
//! it.
//!
//! Graphs without cycles that agree in their lines and in their colliders (`a → c ← b` without a
//! line between `a` and `b`) imply the same independences. Such a class is drawn as one graph
//! (CPDAG) in which an arrow stands where all members agree and a line without a head where they do
//! not (Andersson, Madigan and Perlman, *Annals of Statistics* 25 (1997) 505–541).

/// A graph in which two variables are joined by an arrow, by a line without a head, or not at all.
///
/// ```
/// use duress_graph::cpdag::Pdag;
/// // A chain can be read in either direction; a collider cannot.
/// assert!(Pdag::of_dag(3, &[(0, 1), (1, 2)]).unwrap().is_line(0, 1));
/// assert!(Pdag::of_dag(3, &[(0, 1), (2, 1)]).unwrap().is_arrow(0, 1));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pdag {
    size: usize,
    /// At `from · size + to`: whether the edge may point that way. A line may point both ways.
    may_point: Vec<bool>,
}

impl Pdag {
    /// No edges between `size` variables.
    pub fn empty(size: usize) -> Pdag {
        Pdag {
            size,
            may_point: vec![false; size * size],
        }
    }

    /// The class of a graph without cycles, as its CPDAG; `None` when the edges close a cycle, the
    /// shortest of which is an edge both ways.
    pub fn of_dag(size: usize, edges: &[(usize, usize)]) -> Option<Pdag> {
        // Of two arrows between the same variables only the later would be kept, and no cycle seen.
        if edges.iter().any(|&(from, to)| edges.contains(&(to, from))) {
            return None;
        }
        let mut dag = Pdag::empty(size);
        edges.iter().for_each(|&(from, to)| dag.set_arrow(from, to));
        dag.extension()?;
        let mut class = Pdag::empty(size);
        edges
            .iter()
            .for_each(|&(from, to)| class.set_line(from, to));
        for (a, c, b) in dag.colliders() {
            class.set_arrow(a, c);
            class.set_arrow(b, c);
        }
        class.close();
        Some(class)
    }

    pub fn size(&self) -> usize {
        self.size
    }

    /// Joins `a` and `b` by a line.
    pub fn set_line(&mut self, a: usize, b: usize) {
        assert_ne!(a, b, "a variable is not joined to itself");
        (
            self.may_point[a * self.size + b],
            self.may_point[b * self.size + a],
        ) = (true, true);
    }

    /// Joins `from` and `to` by an arrow, whatever was there before.
    pub fn set_arrow(&mut self, from: usize, to: usize) {
        self.set_line(from, to);
        self.may_point[to * self.size + from] = false;
    }

    /// Leaves nothing between `a` and `b`.
    pub fn remove(&mut self, a: usize, b: usize) {
        (
            self.may_point[a * self.size + b],
            self.may_point[b * self.size + a],
        ) = (false, false);
    }

    /// Whether there is an edge of either kind.
    pub fn is_joined(&self, a: usize, b: usize) -> bool {
        self.may_point(a, b) || self.may_point(b, a)
    }

    /// Whether there is an arrow from `from` to `to`.
    pub fn is_arrow(&self, from: usize, to: usize) -> bool {
        self.may_point(from, to) && !self.may_point(to, from)
    }

    /// Whether there is a line.
    pub fn is_line(&self, a: usize, b: usize) -> bool {
        self.may_point(a, b) && self.may_point(b, a)
    }

    /// Whether some member of the class has an edge from `from` to `to`.
    pub fn may_point(&self, from: usize, to: usize) -> bool {
        self.may_point[from * self.size + to]
    }

    /// On how many pairs of variables two such graphs differ: the structural Hamming distance of
    /// CPDAGs.
    pub fn distance(&self, other: &Pdag) -> usize {
        assert_eq!(self.size, other.size, "over the same variables");
        let marks = |graph: &Pdag, a, b| (graph.may_point(a, b), graph.may_point(b, a));
        self.pairs()
            .filter(|&(a, b)| marks(self, a, b) != marks(other, a, b))
            .count()
    }

    /// Draws an arrow wherever a line's other direction would close a cycle or make a collider that
    /// is not there: the four rules of Meek (UAI 1995), until none applies. The fourth matters only
    /// where arrows came from elsewhere, as from time.
    pub fn close(&mut self) {
        while let Some((from, to)) = self
            .ordered()
            .find(|&(a, b)| self.is_line(a, b) && self.is_forced(a, b))
        {
            self.set_arrow(from, to);
        }
    }

    /// A graph without cycles that has these lines, arrows and colliders and no other, as sorted
    /// edges; `None` when there is none (Dor and Tarsi, UCLA report R-185, 1992).
    pub fn extension(&self) -> Option<Vec<(usize, usize)>> {
        let mut rest = self.clone();
        let mut edges = Vec::new();
        let mut left: Vec<usize> = (0..self.size).collect();
        while !left.is_empty() {
            let sink = left.iter().position(|&x| rest.can_be_last(x))?;
            let x = left.remove(sink);
            for y in (0..self.size)
                .filter(|&y| rest.is_joined(x, y))
                .collect::<Vec<_>>()
            {
                edges.push((y, x));
                rest.remove(x, y);
            }
        }
        edges.sort_unstable();
        Some(edges)
    }

    /// Whether `x` points at nothing, and whoever has a line to it is joined with all it is joined
    /// with.
    fn can_be_last(&self, x: usize) -> bool {
        let near: Vec<usize> = (0..self.size).filter(|&y| self.is_joined(x, y)).collect();
        near.iter().all(|&y| !self.is_arrow(x, y))
            && near
                .iter()
                .filter(|&&y| self.is_line(x, y))
                .all(|&y| near.iter().all(|&z| z == y || self.is_joined(y, z)))
    }

    /// Whether the line between `a` and `b` must point at `b`.
    fn is_forced(&self, a: usize, b: usize) -> bool {
        let all = || 0..self.size;
        // c → a — b without c and b joined: the other way would make a collider.
        let away = all().any(|c| self.is_arrow(c, a) && c != b && !self.is_joined(c, b));
        // a → c → b: the other way would close a cycle.
        let shortcut = all().any(|c| self.is_arrow(a, c) && self.is_arrow(c, b));
        // a — c → b and a — e → b without c and e joined.
        let beside = |c: usize| self.is_line(a, c) && self.is_arrow(c, b);
        let twice = all()
            .any(|c| beside(c) && (c + 1..self.size).any(|e| beside(e) && !self.is_joined(c, e)));
        // a — e, e → c → b, a joined with c, e and b not joined.
        let round = all()
            .filter(|&c| self.is_arrow(c, b) && self.is_joined(a, c))
            .any(|c| {
                all().any(|e| {
                    e != b && self.is_arrow(e, c) && self.is_line(a, e) && !self.is_joined(e, b)
                })
            });
        away || shortcut || twice || round
    }

    /// All `(a, c, b)` with `a → c ← b`, `a < b`, and `a` and `b` not joined.
    fn colliders(&self) -> Vec<(usize, usize, usize)> {
        let heads = |(a, b): (usize, usize)| {
            (0..self.size)
                .filter(move |&c| self.is_arrow(a, c) && self.is_arrow(b, c))
                .map(move |c| (a, c, b))
        };
        self.pairs()
            .filter(|&(a, b)| !self.is_joined(a, b))
            .flat_map(heads)
            .collect()
    }

    fn pairs(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        let size = self.size;
        (0..size).flat_map(move |a| (a + 1..size).map(move |b| (a, b)))
    }

    fn ordered(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        let size = self.size;
        (0..size)
            .flat_map(move |a| (0..size).map(move |b| (a, b)))
            .filter(|(a, b)| a != b)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// All graphs without cycles over four variables, by their edges: 543 of them (Robinson 1973).
    fn all_dags() -> Vec<Vec<(usize, usize)>> {
        let pairs: Vec<(usize, usize)> = (0..4)
            .flat_map(|a| (a + 1..4).map(move |b| (a, b)))
            .collect();
        let edges = |code: usize| {
            let marks = pairs
                .iter()
                .enumerate()
                .map(move |(at, pair)| (code / 3_usize.pow(at as u32) % 3, *pair));
            let edge = |(mark, (a, b))| match mark {
                0 => None,
                1 => Some((a, b)),
                _ => Some((b, a)),
            };
            let mut edges: Vec<(usize, usize)> = marks.filter_map(edge).collect();
            edges.sort_unstable();
            edges
        };
        (0..729)
            .map(edges)
            .filter(|edges| Pdag::of_dag(4, edges).is_some())
            .collect()
    }

    type Class = (Vec<(usize, usize)>, Vec<(usize, usize, usize)>);

    /// Lines and colliders, straight from the definition.
    fn class(edges: &[(usize, usize)]) -> Class {
        let joined = |a, b| edges.contains(&(a, b)) || edges.contains(&(b, a));
        let lines = (0..4)
            .flat_map(|a| (a + 1..4).map(move |b| (a, b)))
            .filter(|&(a, b)| joined(a, b))
            .collect();
        let triples =
            (0..4).flat_map(|a| (a + 1..4).flat_map(move |b| (0..4).map(move |c| (a, b, c))));
        let collides = |&(a, b, c): &(usize, usize, usize)| {
            !joined(a, b) && edges.contains(&(a, c)) && edges.contains(&(b, c))
        };
        (lines, triples.filter(collides).collect())
    }

    #[test]
    fn an_arrow_stands_where_all_members_of_the_class_agree() {
        let dags = all_dags();
        assert_eq!(dags.len(), 543);
        let mut classes: BTreeMap<_, Vec<&Vec<(usize, usize)>>> = BTreeMap::new();
        dags.iter()
            .for_each(|dag| classes.entry(class(dag)).or_default().push(dag));
        // The number of classes over four variables (Gillispie and Perlman 2002).
        assert_eq!(classes.len(), 185);
        for members in classes.values() {
            let mut expected = Pdag::empty(4);
            for &(from, to) in members[0] {
                let agreed = members.iter().all(|dag| dag.contains(&(from, to)));
                if agreed {
                    expected.set_arrow(from, to)
                } else {
                    expected.set_line(from, to)
                }
            }
            for dag in members {
                assert_eq!(Pdag::of_dag(4, dag), Some(expected.clone()), "{dag:?}");
            }
            let extension = expected.extension().expect("a class has members");
            assert!(
                members.iter().any(|dag| **dag == extension),
                "{extension:?}"
            );
        }
    }

    #[test]
    fn arrows_from_elsewhere_are_carried_on_by_the_fourth_rule() {
        // Meek's figure: a — b, a — c, a — e, e → c → b, e and b not joined. Were b → a, then c → a
        // and e would close on c.
        let a = 0;
        let b = 1;
        let c = 2;
        let e = 3;
        let mut graph = Pdag::empty(4);
        [b, c, e].iter().for_each(|&x| graph.set_line(a, x));
        graph.set_arrow(e, c);
        graph.set_arrow(c, b);
        graph.close();
        assert!(graph.is_arrow(a, b) && graph.is_line(a, e));
        let extensions = all_dags().into_iter().filter(|dag| {
            let has = |x, y| dag.contains(&(x, y));
            let lines = class(dag).0 == vec![(0, 1), (0, 2), (0, 3), (1, 2), (2, 3)];
            lines && has(e, c) && has(c, b) && class(dag).1.is_empty()
        });
        assert!(extensions.into_iter().all(|dag| dag.contains(&(a, b))));
    }

    #[test]
    fn a_cycle_has_no_class_and_no_extension() {
        assert_eq!(Pdag::of_dag(3, &[(0, 1), (1, 2), (2, 0)]), None);
        for edges in [[(0, 1), (1, 0), (2, 1)], [(1, 0), (0, 1), (2, 1)]] {
            assert_eq!(Pdag::of_dag(3, &edges), None, "{edges:?}");
        }
        let mut square = Pdag::empty(4);
        [(0, 1), (1, 2), (2, 3), (3, 0)]
            .iter()
            .for_each(|&(a, b)| square.set_line(a, b));
        // Every direction of a square without diagonals makes a collider or a cycle.
        assert_eq!(square.extension(), None);
    }

    #[test]
    fn distance_counts_pairs() {
        let (chain, collider) = (
            Pdag::of_dag(3, &[(0, 1), (1, 2)]).unwrap(),
            Pdag::of_dag(3, &[(0, 1), (2, 1)]).unwrap(),
        );
        assert_eq!((chain.distance(&collider), chain.distance(&chain)), (2, 0));
        assert_eq!(chain.distance(&Pdag::empty(3)), 2);
    }
}
