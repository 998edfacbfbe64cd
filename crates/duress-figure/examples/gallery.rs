//! Writes every figure kind as SVG and PNG into a folder, to be looked at: `cargo run -p
//! duress-figure --example gallery -- DIR`.

#[path = "../tests/it/kinds/mod.rs"]
mod kinds;

fn main() -> std::io::Result<()> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| "gallery".into());
    let folder = std::path::Path::new(&folder);
    std::fs::create_dir_all(folder)?;
    for (name, scene) in kinds::all() {
        let texts: Vec<String> = scene
            .marks
            .iter()
            .filter_map(|m| m.words())
            .map(|t| t.words.clone())
            .collect();
        let fonts = duress_figure::font::Fonts::for_texts(texts.iter().map(String::as_str));
        let svg = duress_figure::svg::write(&scene, duress_figure::svg::Dress::Alone);
        std::fs::write(folder.join(format!("{name}.svg")), svg)?;
        let png = duress_figure::raster::write(&scene, &fonts).map_err(std::io::Error::other)?;
        std::fs::write(folder.join(format!("{name}.png")), png)?;
        std::fs::write(
            folder.join(format!("{name}.pdf")),
            duress_figure::pdf::write(&scene, &fonts),
        )?;
    }
    Ok(())
}
