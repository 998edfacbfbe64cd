"""What judges of pairs said, worked out from the files by their own definitions, without duress.

usage: layouts.py crates/duress-cli/tests/judge_layouts

For each file: pairs judged in both orders, the share of them whose winner is the same in both, how much more than half the
first slot is preferred, the share of ties, and among pairs with a better response the share that is right in both orders.
`duress-cli/tests/it/judge_layouts.rs` holds duress to these numbers.
"""

import collections
import json
import pathlib
import sys

FOLDER = pathlib.Path(sys.argv[1])


def rows(name):
    text = (FOLDER / name).read_text("utf-8")
    return json.loads(text) if text.lstrip().startswith("[") else [json.loads(line) for line in text.splitlines() if line.strip()]


def told(name, better, winners):
    """`better` and `winners` by pair: "one", "other", "tie" or None; winners as (one first, other first), both by name."""
    both = {pair: said for pair, said in winners.items() if pair in better and None not in said}
    slot = {"one": 1.0, "other": 0.0, "tie": 0.5}
    first = lambda said: (slot[said[0]], 1.0 - slot[said[1]])
    n = len(both)
    same = sum(said[0] == said[1] for said in both.values()) / n
    slots = sum(sum(first(said)) / 2 - 0.5 for said in both.values()) / n
    ties = sum((said[0] == "tie") + (said[1] == "tie") for said in both.values()) / 2 / n
    decided = {pair: said for pair, said in both.items() if better[pair] in ("one", "other")}
    right = sum(said == (better[pair], better[pair]) for pair, said in decided.items()) / len(decided)
    print(f"{name}: {n} pairs, consistent {same:.10f}, first slot {slots:.10f}, ties {ties:.10f}, right {right:.10f} of {len(decided)}")


def judgebench():
    better = {row["pair_id"]: {"A>B": "one", "B>A": "other"}[row["label"]] for row in rows("judgebench.jsonl")}
    winners = {}
    for row in rows("judgebench_judged.jsonl"):
        decision = lambda at: (row["judgments"][at] or {}).get("decision")
        frames = ({"A>B": "one", "B>A": "other", "A=B": "tie"}, {"A>B": "other", "B>A": "one", "A=B": "tie"})
        winners[row["pair_id"]] = tuple(frames[at].get(decision(at)) for at in (0, 1))
    told("judgebench", better, winners)


def llmbar():
    named = {1: "one", 2: "other", "1": "one", "2": "other"}
    better = {at: named[row["label"]] for at, row in enumerate(rows("llmbar.json"))}
    winners = {}
    for at, row in enumerate(rows("llmbar_judged.json")):
        last = row["results"][-1]
        winners[at] = tuple(named.get(last[order]["winner"]) for order in ("swap = False", "swap = True"))
    told("llmbar", better, winners)


def mtbench():
    votes = collections.defaultdict(collections.Counter)
    flip = {"one": "other", "other": "one", "tie": "tie", None: None}

    def by_name(row, keys, word):
        """The winner by the name that comes first in the alphabet."""
        said = "tie" if word.startswith("tie") else {keys[0]: "one", keys[1]: "other"}.get(word)
        return said if row[keys[0]] <= row[keys[1]] else flip[said]

    def pair(row, keys):
        return (row["question_id"], max(row.get("turn", 1), 1), *sorted(row[key] for key in keys))

    ab, numbered = ("model_a", "model_b"), ("model_1", "model_2")
    for row in rows("mtbench_people.jsonl"):
        votes[pair(row, ab)][by_name(row, ab, row["winner"])] += 1
    better = {}
    for key, said in votes.items():
        better[key] = "one" if said["one"] > said["other"] else "other" if said["other"] > said["one"] else "tie"
    gpt4 = {}
    for row in rows("mtbench_gpt4.json"):
        said = None if "inconsistent" in row["winner"] else by_name(row, ab, row["winner"])
        gpt4[pair(row, ab)] = (said, said)
    told("mtbench_gpt4", better, gpt4)
    fastchat = {}
    for row in rows("fastchat_pairs.jsonl"):
        games = tuple(by_name(row, numbered, row[key]) for key in ("g1_winner", "g2_winner"))
        in_order = row["model_1"] <= row["model_2"]
        fastchat[pair(row, numbered)] = games if in_order else games[::-1]
    told("fastchat_pairs", better, fastchat)


judgebench()
llmbar()
mtbench()
scores = [row["score"] for row in rows("fastchat_single.jsonl") if row["score"] != -1]
print(f"fastchat_single: {len(scores)} scores, mean {sum(scores) / len(scores):.10f}")
