"""Peers of duress-stats. `run.py reference` writes the reference values, `run.py bench` compares speed, `run.py` does both; `run.py power-bound` says how often any valid test can find a difference, `run.py few-carry` how often intervals hold a share near its end."""

import sys


def main(*words):
    match words:
        case []:
            main("reference")
            main("bench")
        case ["reference"]:
            import clusters
            import distributions
            import estimates
            import hypothesis_tests

            for part in (estimates, hypothesis_tests, distributions, clusters):
                part.write()
        case ["bench", *rest]:
            import bench

            bench.main(*rest)
        case ["power-bound"]:
            import power_bound

            power_bound.main()
        case ["few-carry"]:
            import few_carry

            few_carry.main()
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main(*sys.argv[1:])
