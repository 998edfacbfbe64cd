//! HTML that cannot be broken into: only literals go in unescaped.

use duress_figure::label::excerpt;
use duress_figure::scene::Scene;
use duress_figure::svg::{self, Dress};

/// A page that grows.
#[derive(Default)]
pub(crate) struct Html(String);

impl Html {
    /// Markup. Takes literals only, so that no text from a dataset or a model can get here.
    pub(crate) fn raw(&mut self, markup: &'static str) -> &mut Html {
        self.0.push_str(markup);
        self
    }

    /// Text, escaped, and cut if nobody would read it to its end; also right within an attribute in
    /// quotes.
    pub(crate) fn text(&mut self, text: &str) -> &mut Html {
        self.0.push_str(&svg::escape(&excerpt(text)));
        self
    }

    /// A figure; its own texts are escaped by its writer.
    pub(crate) fn figure(&mut self, scene: &Scene) -> &mut Html {
        self.0.push_str(&svg::write(scene, Dress::Page));
        self
    }

    /// An image, as bytes of a PNG file.
    pub(crate) fn image(&mut self, png: &[u8], alt: &str) -> &mut Html {
        self.raw("<img alt=\"")
            .text(alt)
            .raw("\" src=\"data:image/png;base64,");
        self.0.push_str(&svg::base64(png));
        self.raw("\">")
    }

    /// Style sheets made by this program: the fonts and the colours of series.
    pub(crate) fn style(&mut self, made_here: &Stylesheet) -> &mut Html {
        self.0.push_str(&made_here.0);
        self
    }

    /// All of it.
    pub(crate) fn finish(self) -> String {
        self.0
    }
}

/// CSS made by this program from nothing a study says.
pub(crate) struct Stylesheet(String);

impl Stylesheet {
    /// The shipped fonts and the colours of series, for light and dark.
    pub(crate) fn of_figures() -> Stylesheet {
        let (light, dark) = (
            duress_figure::ink::page_css(false),
            duress_figure::ink::page_css(true),
        );
        Stylesheet(format!(
            "{}:root{{{light}}}:root[data-look=dark]{{{dark}}}@media(prefers-color-scheme:dark){{:root:not([data-look=light]){{{dark}}}}}@media print{{:root,:root[data-look]{{{light}}}}}",
            svg::font_faces()
        ))
    }
}
