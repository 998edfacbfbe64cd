"""Selects the pairs of `crates/duress-text/data/simplified_traditional.txt` from OpenCC's tables of characters (Apache-2.0).

Needs the files that the package opencc-python-reimplemented carries, imports none of its code and downloads nothing itself:
    cargo xtask peers characters

Kept are the pairs that can be turned back: a Simplified character that stands for one Traditional character only, which stands for it only, both of them
single characters of the Basic Multilingual Plane. Where one form stands for several (發 and 髮 are both 发), what is meant depends on the word, and a
stressor that guesses would change the text's meaning. A line is the Simplified character followed by the Traditional one, in the order of the table.
"""

import importlib.util
import pathlib

here = pathlib.Path(__file__).parent
package = pathlib.Path(importlib.util.find_spec("opencc").origin).parent


def table(name):
    lines = (package / "dictionary" / name).read_text(encoding="utf-8").splitlines()
    pairs = (line.split("\t") for line in lines if line.strip() and not line.startswith("#"))
    return {key.strip("\ufeff"): values.split() for key, values in pairs}


to_traditional, to_simplified = table("STCharacters.txt"), table("TSCharacters.txt")
rows, seen = [], set()
for simplified, forms in to_traditional.items():
    if len(forms) != 1 or forms[0] == simplified:
        continue
    traditional = forms[0]
    back = to_simplified.get(traditional, [])
    plain = len(simplified) == len(traditional) == 1 and max(simplified, traditional) <= "\uffff"
    if plain and back == [simplified] and traditional not in to_traditional and simplified not in to_simplified:
        assert simplified not in seen and traditional not in seen
        seen.update((simplified, traditional))
        rows.append(f"{simplified}{traditional}\n")
target = here.parents[1] / "crates/duress-text/data/simplified_traditional.txt"
target.write_text("".join(rows), encoding="utf-8", newline="\n")
print(f"{len(rows)} pairs")
