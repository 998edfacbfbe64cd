"""Takes the answers of `studies/classify/census` from the package nannyml (Apache-2.0): employment in Massachusetts, by year.

    pip download --no-deps nannyml==0.13.1
    .venv/classify/bin/python peers/classify/census.py nannyml-0.13.1-py3-none-any.whl

Imports none of its code. Kept are every 40th row of each year of the analysis, and every 60th of the reference year, with the model's
probability, the truth, the year and the sex the census recorded; probabilities as they stand.
"""

import io
import pathlib
import sys
import zipfile

import pyarrow.parquet as pq

OUT = pathlib.Path(__file__).parents[2] / "studies/classify/census"
SEX = {"1": "male", "2": "female"}


def table(wheel, name):
    return pq.read_table(io.BytesIO(wheel.read(f"nannyml/datasets/data/employment_MA_{name}.pq"))).to_pylist()


def word(employed):
    return "employed" if employed else "not employed"


wheel = zipfile.ZipFile(sys.argv[1])
truth = {row["id"]: row["employed"] for row in table(wheel, "analysis_target")}
kept = [row for row in table(wheel, "analysis") if row["id"] % 40 == 0]
labels = [f"{row['id']},{word(truth[row['id']])},{row['year']},{SEX[row['SEX']]}\n" for row in kept]
(OUT / "labels.csv").write_text("id,label,year,sex\n" + "".join(labels))
answers = [f"{row['id']},{row['predicted_probability']!r}\n" for row in kept]
(OUT / "answers.csv").write_text("id,probability\n" + "".join(answers))
before = [row for row in table(wheel, "reference") if row["id"] % 60 == 0]
rows = [f"{row['id']},{row['predicted_probability']!r},{word(row['employed'])}\n" for row in before]
(OUT / "validation.csv").write_text("id,probability,label\n" + "".join(rows))
licence = next(name for name in wheel.namelist() if name.endswith("/LICENSE"))
(OUT / "LICENSE-NANNYML").write_bytes(wheel.read(licence))
print(len(kept), "rows to test,", len(before), "to fit a temperature on")
