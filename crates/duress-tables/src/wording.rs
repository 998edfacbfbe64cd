//! Wording: whether a message names a setting as a study or as the command line has it.

/// Where the reader of a message would change a setting.
///
/// ```
/// use duress_tables::wording::Wording;
/// assert_eq!(Wording::Study.classes(), "`classes = […]`");
/// assert_eq!(Wording::Flags.classes(), "`--classes`");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wording {
    /// In a study file: settings are its keys.
    #[default]
    Study,
    /// On the command line: settings are flags.
    Flags,
}

impl Wording {
    /// What names the classes.
    pub fn classes(self) -> &'static str {
        match self {
            Wording::Study => "`classes = […]`",
            Wording::Flags => "`--classes`",
        }
    }

    /// The list of the classes, once it is there.
    pub fn class_list(self) -> &'static str {
        match self {
            Wording::Study => "`classes`",
            Wording::Flags => "the list of classes",
        }
    }

    /// What says that numbers are logits.
    pub fn logits(self) -> &'static str {
        match self {
            Wording::Study => "`form = \"logits\"`",
            Wording::Flags => "`--form logits`",
        }
    }

    /// What names the column with the true class.
    pub fn label(self) -> &'static str {
        match self {
            Wording::Study => "`label = …`",
            Wording::Flags => "`--label`",
        }
    }
}
