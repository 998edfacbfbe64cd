"""Selects the words of `crates/duress-text/data/english.txt` from the package symspellpy (MIT).

Needs the package's frequency list, imports none of its code and downloads nothing itself:
    cargo xtask peers words

Kept are words of four and more small letters, without their frequencies, sorted.
"""

import importlib.util
import pathlib
import re

package = pathlib.Path(importlib.util.find_spec("symspellpy").origin).parent
lines = (package / "frequency_dictionary_en_82_765.txt").read_text(encoding="utf-8-sig").splitlines()
words = {line.split()[0] for line in lines if line.strip()}
kept = sorted(word for word in words if re.fullmatch("[a-z]{4,}", word))
target = pathlib.Path(__file__).parents[2] / "crates/duress-text/data/english.txt"
target.write_text("\n".join(kept) + "\n", encoding="utf-8")
print(f"{len(kept)} words")
