//! Stage 6 of 6: findings become a report. Sees findings only.
