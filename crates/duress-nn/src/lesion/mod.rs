//! Skin lesions as a dermatoscope shows them, made from traits whose values are known.
//!
//! A [`Cohort`](cohort::Cohort) is an endless row of cases: patients with lesions, lesions with
//! images. A lesion has a [diagnosis](diagnosis::Diagnosis), whose prototype its
//! [traits](traits::LesionTraits) scatter about; a [`Specimen`](specimen::Specimen) is one lesion
//! with everything about it drawn, a [`LesionView`](view::LesionView) how one image sees it, and
//! [`painting`] makes pixels and a mask of the two. [Artefacts](artefact) go over them;
//! which ones go with which diagnosis is a [`Confounding`](confounding::Confounding), and
//! [`ArtefactPairing`](confounding::ArtefactPairing) lets the same lesion be shown with its own,
//! anybody's or a wrong diagnosis's artefacts. [`concept`] has images with and without one thing.
//!
//! Everything about a case comes from the children of one seed: how many others were asked for
//! changes nothing, and neither do strengths, which scale draws and never add to them.

pub mod artefact;
pub mod cohort;
pub mod concept;
pub mod confounding;
pub mod diagnosis;
mod faint;
mod outline;
pub mod painting;
mod patches;
pub mod specimen;
pub mod traits;
pub mod view;
