//! Texts: arrangements, tokenising, lexical measures and error injection. Knows no study.
