//! Questions: what a cell asks its subject.

crate::words! {
    /// What is asked. Gauges declare which question they read; the plan asks the union, once.
    pub enum Question {
        /// Which class each item belongs to.
        Classes = "classes",
        /// Which variables act on which, over the whole dataset.
        Graph = "graph",
        /// A text for each item.
        Text = "text",
        /// A rating of each item, in each of some dimensions.
        Ratings = "ratings",
    }
}
