"""The structure learners of duress-graph beside their authors' packages, on the same data.

    cargo xtask peers graphs            reference values, F1 over several datasets, times
    python run.py reference|agree|time  one of the three

Reference values go to crates/duress-graph/tests/data/peers.json, which `cargo test` compares with, without Python. Data for the rest
come from the example `peers` of duress-graph, which runs our side. Times are CPU seconds, taken in turn, theirs and ours, on one
thread each, from a table in memory to the result; medians are compared.
"""

import functools
import importlib.util
import json
import logging
import os
import statistics
import subprocess
import sys
import time
import types
import warnings
from pathlib import Path
from tempfile import TemporaryDirectory

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"
logging.disable(logging.CRITICAL)
warnings.simplefilter("ignore")

import numpy as np
import scipy.linalg
import scipy.optimize

ROOT = Path(__file__).resolve().parents[2]
CASES = ROOT / "crates/duress-graph/tests/data/peers.json"
NOTEARS_PENALTY, DAGMA_PENALTY, ALPHA = 0.1, 0.03, 0.01


def castle_notears():
    from castle.algorithms import Notears

    return Notears()


def dagma_model():
    import dagma.linear

    class Quiet:
        def __init__(self, *a, **k): ...
        def __enter__(self): return self
        def __exit__(self, *a): return False
        def update(self, *a): ...

    dagma.linear.tqdm = Quiet
    return dagma.linear.DagmaLinear("l2")


@functools.cache
def causalnex_dynotears():
    """The module alone: the package around it wants other versions of much that it does not use here."""
    found = importlib.util.find_spec("causalnex")
    if found is None:
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--ignore-requires-python", "causalnex==0.12.2"]
        subprocess.run(pip, check=True)
        importlib.invalidate_caches()
        found = importlib.util.find_spec("causalnex")
    for name in ("causalnex", "causalnex.structure", "causalnex.structure.transformers"):
        sys.modules[name] = types.ModuleType(name)
    sys.modules["causalnex.structure"].StructureModel = None
    sys.modules["causalnex.structure.transformers"].DynamicDataTransformer = None
    path = Path(found.origin).parent / "structure/dynotears.py"
    spec = importlib.util.spec_from_file_location("dynotears", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def lagged(windows):
    now, before = windows[:, 1:], windows[:, :-1]
    d = windows.shape[2]
    return now.reshape(-1, d), before.reshape(-1, d)


def dynotears_bounds(d):
    w = [(0, 0) if i == j else (0, None) for _ in range(2) for i in range(d) for j in range(d)]
    return w + [(0, None)] * (2 * d * d)


# Reference values


def reference():
    rng = np.random.default_rng(1)
    mix = np.triu(rng.normal(size=(6, 6))) + np.eye(6)
    x = rng.normal(size=(150, 6)) @ mix
    hidden = rng.random(x.shape) < 0.15
    cases = {"table": x.tolist(), "hidden": hidden.astype(int).tolist()}
    cases |= {"tests": independence(x, hidden), "dagma": dagma_values(x, rng), "dynotears": dynotears_values(rng)}
    cases["exponential"] = exponential_values(rng)
    CASES.parent.mkdir(parents=True, exist_ok=True)
    CASES.write_text(json.dumps(cases))
    print(f"{CASES.relative_to(ROOT)}: {sum(len(v) for v in cases.values() if isinstance(v, list) and v and isinstance(v[0], dict))} cases")


def independence(x, hidden):
    from causallearn.utils.cit import CIT
    from tigramite.independence_tests.parcorr import ParCorr

    gaps = np.where(hidden, np.nan, x)
    fisher, deleted, parcorr = CIT(x, "fisherz"), CIT(gaps, "mv_fisherz"), ParCorr(significance="analytic")
    cases = []
    for given in ([], [2], [3, 5], [2, 4, 5], [2, 3, 4, 5]):
        z = x[:, given] if given else None
        r, p = parcorr.run_test_raw(x[:, [0]], x[:, [1]], z=z)[:2]
        cases.append({
            "given": given, "fisher": float(fisher(0, 1, given)), "deleted": float(deleted(0, 1, given)),
            "r": float(r), "student": float(p),
        })
    return cases


def exponential_values(rng):
    cases = []
    for scale, share in ((0.3, 1.0), (0.8, 0.4), (1.5, 0.7)):
        w = scale * rng.normal(size=(8, 8)) * (rng.random((8, 8)) < share)
        np.fill_diagonal(w, 0)
        e = scipy.linalg.expm(w * w)
        cases.append({"weights": w.tolist(), "h": float(np.trace(e) - 8), "gradient": (2 * e.T * w).tolist()})
    return cases


def dagma_values(x, rng):
    model = dagma_model()
    x = x - x.mean(axis=0)
    model.X, model.n, model.d, model.Id, model.cov = x, *x.shape, np.eye(6), x.T @ x / len(x)
    cases = []
    for s in (1.0, 0.7):
        w = 0.25 * rng.normal(size=(6, 6))
        np.fill_diagonal(w, 0)
        (score, slope), (h, bend) = model._score(w), model._h(w, s)
        cases.append({
            "weights": w.tolist(), "s": s, "score": float(score), "score_gradient": slope.tolist(), "h": float(h), "h_gradient": bend.tolist(),
        })
    return cases


def dynotears_values(rng):
    """The objective that causalnex minimises and its gradient, caught on their way into the optimiser: ρ = 1, α = 0, no penalty."""
    module, caught = causalnex_dynotears(), {}
    d = 4
    now, before = rng.normal(size=(60, d)), rng.normal(size=(60, d))

    class Caught(Exception): ...

    def catch(func, start, **k):
        caught.update(func=func, jac=k["jac"])
        raise Caught

    original, module.sopt.minimize = module.sopt.minimize, catch
    try:
        module._learn_dynamic_structure(now, before, dynotears_bounds(d), 0.0, 0.0)
    except Caught:
        pass
    finally:
        module.sopt.minimize = original
    plus = np.abs(rng.normal(size=(4 * d, d))) * 0.5
    plus[:d] *= 1 - np.eye(d)
    plus[d : 2 * d] = 0
    plus[3 * d :] = 0
    slope = caught["jac"](plus.ravel()).reshape(4 * d, d)
    return [{
        "now": now.tolist(), "before": before.tolist(), "w": plus[:d].tolist(), "a": plus[2 * d : 3 * d].tolist(),
        "value": float(caught["func"](plus.ravel())), "w_gradient": slope[:d].tolist(), "a_gradient": slope[2 * d : 3 * d].tolist(),
    }]


# Our side


class Ours:
    def __init__(self):
        cargo = os.environ.get("CARGO", "cargo")
        build = [cargo, "build", "--quiet", "--release", "--package", "duress-graph", "--example", "peers", "--message-format=json"]
        lines = subprocess.run(build, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
        binary = [m["executable"] for m in map(json.loads, lines) if m.get("target", {}).get("name") == "peers"][0]
        self.process = subprocess.Popen([binary], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.folder = TemporaryDirectory()

    def ask(self, task, *words):
        path = Path(self.folder.name) / "table"
        self.process.stdin.write(" ".join(map(str, [task, path, *words])) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def table(self, *shape):
        return np.fromfile(Path(self.folder.name) / "table", "<f8").reshape(shape)

    def rows(self, d, edges, n, seed):
        truth = np.zeros((d, d), bool)
        truth[tuple(np.array(self.ask("rows", d, edges, n, seed)["edges"]).T)] = True
        return self.table(n, d), truth

    def windows(self, family, d, edges, n, steps, seed):
        truth = np.zeros((d, d), bool)
        truth[tuple(np.array(self.ask("windows", family, d, edges, n, steps, seed)["edges"]).T)] = True
        return self.table(n, steps, d), truth

    def weights(self, task, d, *words):
        """Weights from × to; ours are held to × from."""
        answer = self.ask(task, d, *words)
        return np.array(answer["found"]).reshape(d, d).T, answer["seconds"]


def timed(f, *a, **k):
    start = time.process_time()
    result = f(*a, **k)
    return result, time.process_time() - start


def f1(found, truth):
    return 2 * (found & truth).sum() / max(1, found.sum() + truth.sum())


# Learners, each theirs and ours: a matrix of edges, seconds


def both_notears(ours, d, seed, n=1000):
    x, truth = ours.rows(d, 2 * d, n, seed)
    theirs, theirs_s = timed(castle_notears().notears_linear, x.copy(), NOTEARS_PENALTY, "l2", 100, 1e-8, 1e16)
    mine, mine_s = ours.weights("notears", d, NOTEARS_PENALTY)
    return truth, (np.abs(np.asarray(theirs)) > 0.3, theirs_s), (np.abs(mine) > 0.3, mine_s)


def both_dagma(ours, d, seed, n=1000):
    x, truth = ours.rows(d, 2 * d, n, seed)
    theirs, theirs_s = timed(dagma_model().fit, x.copy(), lambda1=DAGMA_PENALTY)
    mine, mine_s = ours.weights("dagma", d, DAGMA_PENALTY)
    return truth, (theirs != 0, theirs_s), (np.abs(mine) > 0.3, mine_s)


def both_pc(ours, d, seed, n=1000):
    """Arrows and lines of the class; a line counts both ways on either side."""
    from causallearn.search.ConstraintBased.PC import pc

    x, truth = ours.rows(d, d, n, seed)
    graph, theirs_s = timed(pc, x, ALPHA, "fisherz", True, 0, 2, show_progress=False)
    g = graph.G.graph
    theirs = np.array([[g[i, j] == -1 and g[j, i] in (1, -1) for j in range(d)] for i in range(d)])
    answer = ours.ask("pc", d, ALPHA, d)
    return truth, (theirs, theirs_s), (np.array(answer["found"], bool).reshape(d, d), answer["seconds"])


def both_dynotears(ours, d, seed):
    windows, truth = ours.windows("linear", d, 2 * d, 60, 20, seed)
    now, before = lagged(windows)
    (w, a), theirs_s = timed(causalnex_dynotears()._learn_dynamic_structure, now, before, dynotears_bounds(d), 0.05, 0.05)
    theirs = np.maximum(np.abs(w), np.abs(a)) > 0.1
    answer = ours.ask("dynotears", d, 20, 0.05)
    now, before = (np.abs(np.array(answer["found"][key]).reshape(d, d).T) for key in ("now", "before"))
    mine = np.maximum(now, before) > 0.1
    for graph in (theirs, mine):
        np.fill_diagonal(graph, False)
    return truth, (theirs, theirs_s), (mine, answer["seconds"])


def both_pcmci(ours, d, seed):
    from tigramite.data_processing import DataFrame
    from tigramite.independence_tests.parcorr import ParCorr
    from tigramite.pcmci import PCMCI

    windows, truth = ours.windows("linear", d, 2 * d, 60, 20, seed)
    frame = DataFrame({i: window for i, window in enumerate(windows)}, analysis_mode="multiple")
    run = PCMCI(frame, ParCorr(significance="analytic"), verbosity=0).run_pcmciplus
    # Colliders by separating sets alone, as ours.
    result, theirs_s = timed(run, tau_max=1, pc_alpha=ALPHA, contemp_collider_rule="none")
    marks = result["graph"]
    theirs = (marks[:, :, 1] == "-->") | np.isin(marks[:, :, 0], ["-->", "o-o", "x-x"])
    answer = ours.ask("pcmci", d, 20, ALPHA, d)
    mine = np.zeros((d, d), bool)
    if answer["found"]:
        mine[tuple(np.array(answer["found"]).T)] = True
    for graph in (theirs, mine):
        np.fill_diagonal(graph, False)
    return truth, (theirs, theirs_s), (mine, answer["seconds"])


def agree(which=None, seeds=10):
    ours = Ours()
    print(f"F1 on {seeds} datasets: theirs, ours, their mean difference and its standard error, edges on which the two differ")
    lost = []
    for name, both, d in (
        ("notears, gCastle", both_notears, 15), ("dagma, dagma", both_dagma, 15), ("pc, causal-learn", both_pc, 15),
        ("dynotears, causalnex", both_dynotears, 8), ("pcmci, tigramite", both_pcmci, 8),
    ):
        if which and name.split(",")[0] not in which:
            continue
        theirs, mine, apart = [], [], []
        for seed in range(seeds):
            truth, (a, _), (b, _) = both(ours, d, 100 + seed)
            theirs.append(f1(a, truth)), mine.append(f1(b, truth)), apart.append((a != b).sum())
        gap = np.array(mine) - np.array(theirs)
        error = gap.std(ddof=1) / np.sqrt(seeds)
        print(f"{name:22} d={d:3} {np.mean(theirs):.3f} {np.mean(mine):.3f} {gap.mean():+.4f} ± {error:.4f}  {np.mean(apart):.1f}", flush=True)
        if gap.mean() < -0.01 - 2 * error:
            lost.append(name)
    if lost:
        sys.exit(f"worse than the peer: {', '.join(lost)}")


def measure(which=None):
    ours = Ours()
    bars = {
        "pc": (both_pc, {20: 10, 50: 10}), "dagma": (both_dagma, {20: 10, 50: 5, 100: 2}),
        "notears": (both_notears, {20: 10, 50: 10, 100: 10}),
    }
    print("CPU seconds, medians of datasets in turn: theirs, ours, ratio (bar), F1 theirs and ours")
    for name, (both, sizes) in bars.items():
        for d, bar in sizes.items():
            if which and f"{name}-{d}" not in which and name not in which:
                continue
            a, b, f = [], [], []
            # The larger take theirs minutes each.
            repeats = {20: 5, 50: 3, 100: 1}[d]
            for seed in range(repeats):
                truth, (theirs, theirs_s), (mine, mine_s) = both(ours, d, seed)
                a.append(theirs_s), b.append(mine_s), f.append((f1(theirs, truth), f1(mine, truth)))
            a, b, f = statistics.median(a), statistics.median(b), np.mean(f, axis=0)
            print(f"{name:8} d={d:3} {a:9.3f} {b:9.4f} {a / b:7.1f} ({bar})  {f[0]:.3f} {f[1]:.3f}", flush=True)


if __name__ == "__main__":
    chosen = sys.argv[1] if len(sys.argv) > 1 else "all"
    if chosen in ("all", "reference"):
        reference()
    if chosen in ("all", "agree"):
        agree(sys.argv[2:])
    if chosen in ("all", "time"):
        measure(sys.argv[2:])
