"""In which form of Chinese are the references of `studies/order/four-languages/traditional_chinese_explanations.csv` written? Two ways of
counting, by items; docs/order.md quotes them.
    python peers/order/forms.py
"""

import csv
import pathlib

import opencc

root = pathlib.Path(__file__).parents[2]
file = root / "studies/order/four-languages/traditional_chinese_explanations.csv"
to_traditional, to_simplified = opencc.OpenCC("s2t"), opencc.OpenCC("t2s")


def changes(converter, other, text):
    """Characters that a conversion changes and the other way round does not."""
    return sum(converter.convert(c) != c and other.convert(c) == c for c in text)


def has_only(text, one, other):
    """Whether a character is in one set of characters and not in the other."""

    def within(c, encoding):
        try:
            return bool(c.encode(encoding))
        except UnicodeEncodeError:
            return False

    return any(within(c, one) and not within(c, other) for c in text)


def main():
    with open(file, encoding="utf-8-sig", newline="") as rows:
        references = [row[1] for row in csv.reader(rows) if len(row) > 1]
    counts = [(changes(to_traditional, to_simplified, text), changes(to_simplified, to_traditional, text)) for text in references]
    print(len(references), "items")
    print("OpenCC: mostly Simplified", sum(s > t for s, t in counts), "mostly Traditional", sum(t > s for s, t in counts), "neither", sum(s == t for s, t in counts))
    print("a character of GB 2312 and not of Big5", sum(has_only(text, "gb2312", "big5") for text in references))
    print("a character of Big5 and not of GB 2312", sum(has_only(text, "big5", "gb2312") for text in references))


if __name__ == "__main__":
    main()
