"""Passages that neither the injector nor the rules judge was written for, as responses for `judged-responses`.

usage: unseen.py cosmosqa_10k.json unseen.jsonl

The passages are CosmosQA's (L. Huang et al., 2019), as the source package of PyPI's `mapie` 1.6.0 carries them in
notebooks/educational-content/cosmosqa_10k.json. The first hundred of 50 to 110 words in ASCII are taken; each is its own source.
"""

import json
import re
import sys

PASSAGES = 100


def plain(text):
    """The text without the blanks that a tokeniser put in."""
    text = re.sub(r" (n't|'s|'re|'ve|'ll|'d|'m)\b", r"\1", text)
    text = re.sub(r" ([.,!?;:%)])", r"\1", text)
    text = re.sub(r"([($]) ", r"\1", text)
    return re.sub(r"\s+", " ", text).strip()


def passages(questions):
    seen = set()
    for question in questions:
        passage = question["context"]
        if passage in seen:
            continue
        seen.add(passage)
        if 50 <= len(passage.split()) <= 110 and re.fullmatch(r"[\x20-\x7e]+", passage):
            yield plain(question["question"]), plain(passage)


def main(read, write):
    with open(read, encoding="utf-8") as file:
        questions = json.load(file)
    with open(write, "w", encoding="utf-8") as file:
        for number, (prompt, passage) in zip(range(PASSAGES), passages(questions)):
            row = {"id": f"c{number}", "prompt": prompt, "source": passage, "response": passage}
            file.write(json.dumps(row) + "\n")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
