"""A judge of texts with dimensions of its own, in a few lines of Python. In a study:

    [subject.mine]
    use = "command"
    command = ["python3", "examples/command/judge.py"]
    accepts = "texts"
    answers = "ratings"

`quality` reads both dimensions, since they are from 0 to 100: `dimension = "support"`.
"""

import json
import re
import sys

DIMENSIONS = ["support", "brevity"]


def support(text, source):
    """The share of numbers in the text that the source has too."""
    numbers = re.findall(r"\d+", text)
    known = set(re.findall(r"\d+", source))
    return 100.0 * sum(number in known for number in numbers) / len(numbers) if numbers else 100.0


def brevity(text):
    """100 for a text of up to fifty words, less for a longer one."""
    return min(100.0, 5000.0 / max(1, len(text.split())))


def rate(item):
    source = item["beside"].get("source", "")
    return [support(item["text"], source), brevity(item["text"])]


for line in sys.stdin:
    question = json.loads(line)
    if "hello" in question:
        reply = {"hello": 1, "dimensions": DIMENSIONS}
    else:
        reply = {"id": question["id"], "ratings": [rate(item) for item in question["texts"]]}
    print(json.dumps(reply), flush=True)
