//! The one door through which the stages know parts.

use duress_core::part::Part;
use duress_core::problem::Problem;

/// All parts a study may name.
#[derive(Clone)]
pub struct Registry {
    parts: Vec<&'static Part>,
}

impl Registry {
    /// The parts that come with duress.
    pub fn standard() -> Registry {
        Registry {
            parts: STANDARD.to_vec(),
        }
    }

    /// The same with one more part.
    #[must_use]
    pub fn with(mut self, part: &'static Part) -> Registry {
        self.parts.push(part);
        self
    }

    /// All parts, in the order they are listed.
    pub fn parts(&self) -> &[&'static Part] {
        &self.parts
    }

    /// The part of this kind and name, or the problem with the nearest right word.
    pub fn find(&self, kind: &str, name: &str) -> Result<&'static Part, Problem> {
        let of_kind = || self.parts.iter().filter(|part| part.kind() == kind);
        of_kind()
            .find(|part| part.name == name)
            .copied()
            .ok_or_else(|| {
                let elsewhere = self.parts.iter().find(|part| part.name == name);
                match elsewhere {
                    Some(part) => {
                        Problem::new(format!("`{name}` is a {}, not a {kind}", part.kind()))
                    }
                    None => Problem::new(format!("unknown {kind} `{name}`"))
                        .nearest(name, of_kind().map(|part| part.name)),
                }
            })
    }
}

static STANDARD: &[&Part] = &[
    &crate::datasets::air_quality::PART,
    &crate::datasets::cifar::PART,
    &crate::datasets::digits::PART,
    &crate::datasets::idioms::PART,
    &crate::datasets::idx::PART,
    &crate::datasets::image_folder::PART,
    &crate::datasets::isic_2018::PART,
    &crate::datasets::judged_responses::PART,
    &crate::datasets::labelled::PART,
    &crate::datasets::sachs::PART,
    &crate::datasets::npz_images::PART,
    &crate::datasets::temporal_sem::PART,
    &crate::datasets::windows::PART,
    &crate::gauges::accuracy::PART,
    &crate::gauges::accuracy_gap::PART,
    &crate::gauges::area::PART,
    &crate::gauges::attack_success_rate::PART,
    &crate::gauges::augrc::PART,
    &crate::gauges::aurc::PART,
    &crate::gauges::aurc_fd_shifts::PART,
    &crate::gauges::aurc_minus_error_rate::PART,
    &crate::gauges::aurc_torch_uncertainty::PART,
    &crate::gauges::auroc_macro::PART,
    &crate::gauges::balanced_accuracy::PART,
    &crate::gauges::brier::PART,
    &crate::gauges::coverage::PART,
    &crate::gauges::directed_f1::PART,
    &crate::gauges::directed_f1_oracle_k::PART,
    &crate::gauges::dose_kendall::PART,
    &crate::gauges::dose_spearman::PART,
    &crate::gauges::e_aurc::PART,
    &crate::gauges::ece::PART,
    &crate::gauges::edge_auprc::PART,
    &crate::gauges::edge_auroc::PART,
    &crate::gauges::edge_precision::PART,
    &crate::gauges::edge_recall::PART,
    &crate::gauges::false_edges::PART,
    &crate::gauges::flip_radius::PART,
    &crate::gauges::harmonic_mean::PART,
    &crate::gauges::held_out_likelihood::PART,
    &crate::gauges::interaction::PART,
    &crate::gauges::ece_debiased::PART,
    &crate::gauges::ece_equal_mass::PART,
    &crate::gauges::ece_netcal::PART,
    &crate::gauges::ece_torchmetrics::PART,
    &crate::gauges::f1::PART,
    &crate::gauges::f1_weighted::PART,
    &crate::gauges::mcc::PART,
    &crate::gauges::mce::PART,
    &crate::gauges::mda::PART,
    &crate::gauges::mdr::PART,
    &crate::gauges::monotonic::PART,
    &crate::gauges::nll::PART,
    &crate::gauges::off_target_slope::PART,
    &crate::gauges::orientation_accuracy::PART,
    &crate::gauges::precision::PART,
    &crate::gauges::quality::PART,
    &crate::gauges::recall::PART,
    &crate::gauges::recovery_rate::PART,
    &crate::gauges::rejection_quality::PART,
    &crate::gauges::risk_accepted::PART,
    &crate::gauges::risk_rejected::PART,
    &crate::gauges::s_acc::PART,
    &crate::gauges::s_rob::PART,
    &crate::gauges::s_seq::PART,
    &crate::gauges::s_struct::PART,
    &crate::gauges::selective_accuracy::PART,
    &crate::gauges::selective_improvement::PART,
    &crate::gauges::selective_threshold::PART,
    &crate::gauges::shd::PART,
    &crate::gauges::shd_cpdag::PART,
    &crate::gauges::shd_reversal_2::PART,
    &crate::gauges::sid::PART,
    &crate::gauges::skeleton_f1::PART,
    &crate::gauges::skeleton_f1_oracle_k::PART,
    &crate::gauges::worst_per_item::PART,
    &crate::raters::graph_likelihood::PART,
    &crate::raters::lexical::PART,
    &crate::raters::recovery::PART,
    &crate::stressors::arrangement::PART,
    &crate::stressors::bias_additive::PART,
    &crate::stressors::bias_cubic::PART,
    &crate::stressors::bias_multiplicative::PART,
    &crate::stressors::drift::PART,
    &crate::stressors::elsewhere::PART,
    &crate::stressors::fgsm::PART,
    &crate::stressors::gaussian_noise::PART,
    &crate::stressors::inject_factual_error::PART,
    &crate::stressors::inject_spelling::PART,
    &crate::stressors::missing_mar::PART,
    &crate::stressors::missing_mcar::PART,
    &crate::stressors::missing_mnar_self::PART,
    &crate::stressors::missing_mnar_tails::PART,
    &crate::stressors::missing_mnar_threshold::PART,
    &crate::stressors::missing_structural::PART,
    &crate::stressors::noise::PART,
    &crate::stressors::noise_heteroscedastic::PART,
    &crate::stressors::outliers::PART,
    &crate::stressors::pgd::PART,
    &crate::stressors::regimes::PART,
    &crate::stressors::resample_windows::PART,
    &crate::subjects::command::PART,
    &crate::subjects::correlation::PART,
    &crate::subjects::dagma::PART,
    &crate::subjects::dynotears::PART,
    &crate::subjects::em_kalman::PART,
    &crate::subjects::lagged_regression::PART,
    &crate::subjects::lookup::PART,
    &crate::subjects::mask_only::PART,
    &crate::subjects::network::PART,
    &crate::subjects::nonlinear_var::PART,
    &crate::subjects::notears::PART,
    &crate::subjects::pc::PART,
    &crate::subjects::pcmci::PART,
    &crate::subjects::random::PART,
    &crate::subjects::recorded::PART,
    &crate::subjects::rules_judge::PART,
    &crate::subjects::trained::PART,
];
