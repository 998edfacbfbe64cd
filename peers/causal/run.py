"""Peers of the causal gauges and of Little's test: writes the reference values that the tests compare with.

SID from gadjid (the structural intervention distance of its authors' successors, in Rust), CPDAGs from causal-learn, rankings from
scikit-learn, and Little's d² from maximum likelihood found by scipy.optimize instead of EM.
"""

import json
from pathlib import Path

import gadjid
import numpy as np
import scipy.optimize
import scipy.stats
from causallearn.graph.Dag import Dag
from causallearn.graph.GraphNode import GraphNode
from causallearn.utils.DAG2CPDAG import dag2cpdag
from sklearn.metrics import average_precision_score, roc_auc_score

CRATES = Path(__file__).resolve().parents[2] / "crates"


def random_dag(rng, d, p):
    order = rng.permutation(d)
    upper = np.triu(rng.random((d, d)) < p, 1)
    dag = np.zeros((d, d), dtype=np.int8)
    dag[np.ix_(order, order)] = upper
    return dag


def cpdag(dag):
    """The marks of causal-learn's CPDAG: at [i, j] whether an edge between i and j may point to j."""
    nodes = [GraphNode(f"x{i}") for i in range(len(dag))]
    graph = Dag(nodes)
    for i, j in np.argwhere(dag):
        graph.add_directed_edge(nodes[i], nodes[j])
    marks = dag2cpdag(graph).graph
    # causal-learn: marks[j, i] = 1 and marks[i, j] = -1 is i → j; -1 and -1 is a line.
    may = np.zeros_like(dag)
    for i in range(len(dag)):
        for j in range(len(dag)):
            if marks[i, j] == 0:
                continue
            may[i, j] = (marks[i, j], marks[j, i]) in [(-1, 1), (-1, -1)]
    return may


def edges(dag):
    return [[int(i), int(j)] for i, j in np.argwhere(dag)]


def graph_cases(rng):
    for case in range(300):
        d = int(rng.integers(2, 13))
        truth, answer = random_dag(rng, d, rng.uniform(0.1, 0.7)), random_dag(rng, d, rng.uniform(0.1, 0.7))
        if case % 3 == 0:
            # Near the truth: some edges dropped.
            answer = truth * (rng.random(truth.shape) < 0.8)
        answer = answer.astype(np.int8)
        _, sid = gadjid.sid(truth, answer, edge_direction="from row to column")
        a, b = cpdag(truth), cpdag(answer)
        pairs = [(i, j) for i in range(d) for j in range(i + 1, d)]
        shd = sum((a[i, j], a[j, i]) != (b[i, j], b[j, i]) for i, j in pairs)
        scores = np.round(rng.normal(size=(d, d)) + truth, 1)
        off = ~np.eye(d, dtype=bool)
        flat, right = scores[off], truth[off]
        ranked = 0 < right.sum() < len(right)
        yield {
            "d": d,
            "truth": edges(truth),
            "answer": edges(answer),
            "scores": scores.ravel().tolist(),
            "sid": int(sid),
            "shd_cpdag": int(shd),
            "auroc": float(roc_auc_score(right, flat)) if ranked else None,
            "auprc": float(average_precision_score(right, flat)) if right.sum() > 0 else None,
        }


def negative_log_likelihood(theta, rows, p):
    mean, lower = theta[:p], np.zeros((p, p))
    lower[np.tril_indices(p)] = theta[p:]
    cov = lower @ lower.T + 1e-12 * np.eye(p)
    total = 0.0
    for seen, values in rows:
        sub = cov[np.ix_(seen, seen)]
        away = values - mean[seen]
        total += 0.5 * (len(values) * np.linalg.slogdet(sub)[1] + np.einsum("ni,ij,nj->", away, np.linalg.inv(sub), away))
    return total


def little(data):
    n, p = data.shape
    groups = {}
    for row in data:
        seen = tuple(np.flatnonzero(~np.isnan(row)))
        if seen:
            groups.setdefault(seen, []).append(row[list(seen)])
    rows = [(list(seen), np.array(values)) for seen, values in sorted(groups.items())]
    start = np.concatenate([np.nanmean(data, 0), np.diag(np.nanstd(data, 0))[np.tril_indices(p)]])
    best = start
    for _ in range(4):
        best = scipy.optimize.minimize(negative_log_likelihood, best, (rows, p), method="BFGS", options={"gtol": 1e-9, "maxiter": 5000}).x
    mean, lower = best[:p], np.zeros((p, p))
    lower[np.tril_indices(p)] = best[p:]
    n = sum(len(values) for _, values in rows)
    cov = lower @ lower.T * n / (n - 1)
    statistic = sum(
        len(values) * (values.mean(0) - mean[seen]) @ np.linalg.inv(cov[np.ix_(seen, seen)]) @ (values.mean(0) - mean[seen])
        for seen, values in rows
    )
    df = sum(len(seen) for seen, _ in rows) - p
    return float(statistic), int(df), float(scipy.stats.chi2.sf(statistic, df))


def little_cases(rng):
    for case in range(20):
        p, n = int(rng.integers(2, 5)), int(rng.integers(40, 120))
        root = rng.normal(size=(p, p))
        data = rng.normal(size=(n, p)) @ root + rng.normal(size=p)
        gone = rng.random((n, p)) < 0.2
        if case % 2:
            gone[:, 0] |= data[:, 1] > np.quantile(data[:, 1], 0.7)
        data[gone] = np.nan
        statistic, df, p_value = little(data)
        rows = [[None if np.isnan(x) else float(x) for x in row] for row in data]
        yield {"rows": rows, "statistic": statistic, "df": df, "p": p_value}


def write(path, cases):
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [json.dumps(case) for case in cases]
    path.write_text("\n".join(lines) + "\n")
    print(f"{path.name}: {len(lines)} cases")


if __name__ == "__main__":
    write(CRATES / "duress-graph/tests/data/graphs.jsonl", graph_cases(np.random.default_rng(1)))
    write(CRATES / "duress-stats/tests/data/little.jsonl", little_cases(np.random.default_rng(2)))
