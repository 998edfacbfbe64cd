//! Resizes pictures, a list of [file, width, height] on standard input, and prints their samples as
//! JSON: one half of `peers/images`.

use std::path::PathBuf;

use duress_parts::images::decode;

fn main() {
    let jobs: Vec<(PathBuf, usize, usize)> =
        serde_json::from_reader(std::io::stdin()).unwrap_or_else(|why| panic!("{why}"));
    let resized = |(file, width, height): &(PathBuf, usize, usize)| {
        let read = decode::read(file).unwrap_or_else(|why| panic!("{why}"));
        read.resized(*width, *height).samples
    };
    let all: Vec<Vec<f32>> = jobs.iter().map(resized).collect();
    println!(
        "{}",
        serde_json::to_string(&all).unwrap_or_else(|why| panic!("{why}"))
    );
}
