"""Peers of duress-stats. `python run.py reference` writes the reference values; `python run.py bench` compares speed."""

import sys


def main():
    match sys.argv[1:]:
        case ["reference"]:
            import distributions
            import estimates
            import hypothesis_tests

            for part in (estimates, hypothesis_tests, distributions):
                part.write()
        case ["bench", *rest]:
            import bench

            bench.main(*rest)
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
