"""Writes the tables that the tests of duress-tables and, in duress-parts, recorded.rs and graphs.rs read back, with the software people write them with.

    cargo xtask peers files

Every file but those of graphs holds the same forty answers: item `i` has id `item-<i>` and the values of `probability(i, class)`, which the test computes
again for itself; what differs is how they are stored.
"""

from pathlib import Path

import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

N = 40
CLASSES = ["cat", "dog", "猫"]


def weights(i):
    """Small whole numbers, so that the test can compute the same quotients bit for bit."""
    return [1 + (7 * i) % 11, 1 + (5 * i) % 13, 1 + (3 * i) % 7]


def rows():
    return np.array([[w / sum(weights(i)) for w in weights(i)] for i in range(N)])


def arrays(out, ids, labels, probs):
    np.savez(out / "stored.npz", probs=probs, ids=ids, labels=labels)
    np.savez_compressed(out / "deflated.npz", probs=probs, ids=ids, labels=labels)
    np.savez_compressed(out / "fortran.npz", probs=np.asfortranarray(probs), ids=ids)
    np.savez_compressed(out / "big_endian.npz", probs=probs.astype(">f8"), ids=ids.astype(">U7"))
    np.savez_compressed(out / "single.npz", probs=probs.astype(np.float32), ids=ids)
    np.savez_compressed(out / "half.npz", probs=probs.astype(np.float16), ids=ids)
    np.savez_compressed(out / "logits.npz", logits=10 * np.log(probs), ids=ids)
    np.savez_compressed(out / "objects.npz", probs=probs, ids=ids.astype(object))
    number = np.arange(N)
    np.savez_compressed(
        out / "kinds.npz",
        i8=(number - 20) * 2**40, i4=(number - 20).astype(np.int32), i2=(number - 20).astype(np.int16),
        i1=(number - 20).astype(np.int8), u8=number.astype(np.uint64) + np.uint64(2**63), u4=number.astype(np.uint32),
        u2=number.astype(np.uint16), u1=number.astype(np.uint8), flag=number % 3 == 0, bytes=ids.astype("S7"),
    )
    np.save(out / "lone.npy", probs)
    with open(out / "version_2.npy", "wb") as file:
        np.lib.format.write_array(file, probs, version=(2, 0))
    with open(out / "version_3.npy", "wb") as file:
        np.lib.format.write_array(file, np.asfortranarray(probs), version=(3, 0))


def tables(out, ids, labels, probs):
    frame = pd.DataFrame(probs, columns=CLASSES)
    frame.insert(0, "id", ids)
    frame["label"] = pd.Categorical(labels, categories=CLASSES)
    frame.to_csv(out / "pandas.csv", index=False)
    frame.to_csv(out / "pandas_index.csv", lineterminator="\r\n", quoting=1, encoding="utf-8-sig")
    for codec in ["snappy", "zstd", "gzip", "lz4", "none"]:
        frame.to_parquet(out / f"{codec}.parquet", compression=codec, index=False, row_group_size=16)
    pq.write_table(pa.Table.from_pandas(frame), out / "plain_v2.parquet", use_dictionary=False, data_page_version="2.0",
                   column_encoding={"cat": "BYTE_STREAM_SPLIT", "id": "DELTA_BYTE_ARRAY"})
    number = np.arange(N)
    listed = pa.table({"id": ids, "probs": pa.array(list(probs)), "whole": number - 20, "flag": number % 3 == 0,
                       "u8": number.astype(np.uint64) + np.uint64(2**63), "single": probs[:, 0].astype(np.float32)})
    pq.write_table(listed, out / "list.parquet", compression="zstd")
    embedded = pa.Table.from_pandas(frame, preserve_index=False).append_column("embedding", pa.array(list(probs[:, :2])))
    pq.write_table(embedded, out / "with_embedding.parquet")
    ragged = [list(row) for row in probs]
    ragged[5] = ragged[5][:2]
    pq.write_table(pa.table({"id": ids, "probs": ragged}), out / "ragged_list.parquet")
    holes = pa.array([None if i == 7 else float(row[0]) for i, row in enumerate(probs)])
    pq.write_table(pa.table({"id": ids, "cat": holes, "dog": 1 - probs[:, 0]}), out / "null.parquet")


def workbooks(out, ids, labels, probs):
    frame = pd.DataFrame(probs, columns=CLASSES)
    frame.insert(0, "id", ids)
    frame["label"] = labels
    frame.to_excel(out / "pandas.xlsx", index=False)
    frame.to_excel(out / "pandas_index.xlsx")
    book = openpyxl.Workbook()
    book.active.append(["id", *CLASSES])
    for i, row in enumerate(probs):
        book.active.append([ids[i], float(row[0]), float(row[1]), f"=1-B{i + 2}-C{i + 2}"])
    book.save(out / "not_computed.xlsx")


def graphs(out):
    """rain → wet → slip, with weights 0.5 and −2, as a list of edges and as a table of who acts on whom; and no edge at all."""
    names, weights = ["rain", "wet", "slip"], np.array([[0, 0.5, 0], [0, 0, -2.0], [0, 0, 0]])
    edges = pd.DataFrame({"source": names[:2], "target": names[1:], "weight": [0.5, -2.0]})
    edges.to_parquet(out / "graph_list.parquet", index=False)
    edges.iloc[:0].to_parquet(out / "graph_none.parquet", index=False)
    pd.DataFrame(weights, columns=names).to_parquet(out / "graph_table.parquet", index=False)
    np.save(out / "graph.npy", weights)
    np.savez_compressed(out / "graph.npz", W=weights.astype(np.float32))


def main(out):
    ids = np.array([f"item-{i}" for i in range(N)])
    probs = rows()
    labels = np.array(CLASSES)[probs.argmax(axis=1)]
    arrays(out, ids, labels, probs)
    tables(out, ids, labels, probs)
    workbooks(out, ids, labels, probs)
    graphs(out)


if __name__ == "__main__":
    main(Path(__file__).parents[2] / "crates/duress-tables/tests/fixtures")
