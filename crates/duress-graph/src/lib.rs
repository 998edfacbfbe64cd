//! Graphs: temporal structural equation models, structure learners and graph measures. Knows no study.
