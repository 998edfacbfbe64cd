//! `[[claim]]`: a hypothesis.

use std::ops::Range;

use duress_core::problem::Problem;

use super::{NamedInStudy, StudyReader};
use crate::study::keys;
use crate::study::node::Node;
use crate::study::reader::Reader;
use crate::study::{Against, COUNTED_UNITS, ClaimDecl, ClaimSide, ClaimTest, Scope, Units};

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
        let reader = Reader::new(
            "a claim",
            span.clone(),
            nodes,
            keys::CLAIM,
            &mut self.problems,
        );
        reader.no_rest(&mut self.problems);
        let name = reader.text("name", &mut self.problems);
        let (gauge, place) = self.gauge_at_place(&reader, named);
        let against = self.against(&reader, named);
        let side = reader
            .word("side", &mut self.problems)
            .unwrap_or(ClaimSide::Greater);
        let margin = self.margin(&reader, side);
        let test = self.claim_test(&reader, side);
        let unit = reader.word_among("unit", COUNTED_UNITS, &mut self.problems);
        let scope = reader.word::<Scope>("scope", &mut self.problems);
        let alpha = reader
            .number("alpha", 1e-6..=0.5, &mut self.problems)
            .unwrap_or(0.05);
        let family = reader.text("family", &mut self.problems);
        Some(ClaimDecl {
            name: name?.value,
            family: family.map_or_else(|| "all claims".into(), |family| family.value),
            gauge: gauge?,
            place: place?,
            against: against?,
            side,
            margin,
            test,
            scope: scope.map(Units::from).or(unit),
            by_items: match unit {
                Some(unit) => unit == Units::Items,
                None => units == Units::Items || test == ClaimTest::Mcnemar,
            },
            alpha,
            span,
        })
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
            Some(_) => self
                .subject_named("against", reader, named)
                .map(Against::Subject),
        }
    }
}
