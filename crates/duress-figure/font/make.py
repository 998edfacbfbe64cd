"""Makes the font files beside this script from Source Sans 3 (npm package source-sans 3.52.0, folder TTF).

usage: python make.py FOLDER_WITH_TTF      needs: pip install fonttools brotli

Keeps Latin, Greek, Cyrillic, punctuation, arrows and mathematical signs, writes the kerning of Latin pairs as a plain `kern`
table, and renames the family, because the licence reserves the name "Source" for unmodified files.
"""
import sys
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont, newTable
from fontTools.ttLib.tables._k_e_r_n import KernTable_format_0

RANGES = [(0x20, 0x7E), (0xA0, 0x17F), (0x192, 0x192), (0x1FA, 0x1FF), (0x218, 0x21B), (0x2B0, 0x2FF), (0x370, 0x3FF), (0x400, 0x45F),
          (0x490, 0x491), (0x1E80, 0x1E85), (0x1EF2, 0x1EF3), (0x2010, 0x2027), (0x2030, 0x203A), (0x2044, 0x2044), (0x2070, 0x209C),
          (0x20AC, 0x20AC), (0x2116, 0x2116), (0x2122, 0x2122), (0x2126, 0x2126), (0x2150, 0x215E), (0x2190, 0x2199), (0x2200, 0x22FF),
          (0x25A0, 0x25FF), (0x2713, 0x2717), (0xFB01, 0xFB02), (0xFFFD, 0xFFFD)]
FAMILY = "Duress Sans"


def pair_kerning(font):
    """The horizontal kerning of every pair of Latin letters, digits and signs, out of the GPOS table."""
    order = set(font.getBestCmap()[c] for c in range(0x20, 0x100) if c in font.getBestCmap())
    pairs = {}
    gpos = font["GPOS"].table
    wanted = {i for record in gpos.FeatureList.FeatureRecord if record.FeatureTag == "kern" for i in record.Feature.LookupListIndex}
    for index in sorted(wanted):
        done = set()
        for table in gpos.LookupList.Lookup[index].SubTable:
            table = getattr(table, "ExtSubTable", table)
            if table.LookupType != 2:
                continue
            for first in (g for g in table.Coverage.glyphs if g in order):
                for second, value in seconds(table, first, order):
                    if (first, second) not in done:
                        done.add((first, second))
                        if value:
                            pairs.setdefault((first, second), value)
    return pairs


def seconds(table, first, order):
    if table.Format == 1:
        row = table.PairSet[table.Coverage.glyphs.index(first)]
        return [(r.SecondGlyph, r.Value1.XAdvance if r.Value1 else 0) for r in row.PairValueRecord if r.SecondGlyph in order]
    row = table.Class1Record[table.ClassDef1.classDefs.get(first, 0)]
    found = []
    for second in order:
        value = row.Class2Record[table.ClassDef2.classDefs.get(second, 0)].Value1
        found.append((second, (getattr(value, "XAdvance", 0) or 0) if value else 0))
    return found


def make(source, target, weight):
    font = TTFont(source)
    options = subset.Options(layout_features=["kern"], hinting=False, name_IDs=[0, 1, 2, 3, 4, 5, 6, 13, 14], notdef_outline=True,
                             legacy_kern=True, glyph_names=False)
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=[c for low, high in RANGES for c in range(low, high + 1)])
    subsetter.subset(font)
    table = KernTable_format_0()
    table.version, table.coverage, table.tupleIndex, table.apple = 0, 1, None, False
    table.kernTable = {p: v for p, v in pair_kerning(font).items() if abs(v) >= 6}
    font["kern"] = newTable("kern")
    font["kern"].version, font["kern"].kernTables = 0, [table]
    del font["GPOS"]
    for tag in ("GSUB", "GDEF", "DSIG", "MATH", "BASE", "STAT"):
        if tag in font:
            del font[tag]
    for record in font["name"].names:
        text = {1: FAMILY, 2: weight, 3: f"{FAMILY} {weight} 1", 4: f"{FAMILY} {weight}", 6: f"DuressSans-{weight}"}.get(record.nameID)
        if text:
            record.string = text
    font.save(target)
    font.flavor = "woff2"
    font.save(Path(target).with_suffix(".woff2"))
    print(target, Path(target).stat().st_size, "bytes", len(font.getGlyphOrder()), "glyphs", len(table.kernTable), "pairs")


if __name__ == "__main__":
    here = Path(__file__).parent
    for weight in ("Regular", "Semibold"):
        make(Path(sys.argv[1]) / f"SourceSans3-{weight}.ttf", here / f"DuressSans-{weight}.ttf", weight)
