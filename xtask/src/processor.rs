//! Processor time: what work costs, however busy the machine is with other things.

/// The seconds that processes which were started here, and have ended, kept a processor busy;
/// `None` where the system does not say.
pub(crate) fn seconds_of_children() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // Behind the name, which may have blanks in it: user and system ticks of children, of which
    // Linux has a hundred a second.
    let fields: Vec<&str> = stat.rsplit(')').next()?.split_whitespace().collect();
    let ticks = |at: usize| fields.get(at)?.parse::<f64>().ok();
    Some((ticks(13)? + ticks(14)?) / 100.0)
}
