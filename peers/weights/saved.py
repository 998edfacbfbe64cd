"""Files as torch.save and safetensors write them, with the values they must give back."""

import collections
import json
import os
import zipfile

import numpy as np
import safetensors.torch
import torch


def tensors():
    """One tensor of every kind, and every way in which a tensor can lie in memory."""
    numbers = torch.arange(24, dtype=torch.float32).reshape(2, 3, 4) / 8 - 1
    shared = torch.arange(10, dtype=torch.float64) * 0.1
    named = collections.OrderedDict(
        plain=numbers,
        transposed=numbers.permute(2, 0, 1),
        slice=numbers[1:, ::2, 1:3],
        expanded=torch.tensor([[0.5], [0.25]]).expand(2, 3),
        parameter=torch.nn.Parameter(numbers[0].clone()),
        channels_last=torch.arange(48, dtype=torch.float32).reshape(2, 3, 2, 4).to(memory_format=torch.channels_last),
        front=shared[:4],
        back=shared[6:],
        half=torch.tensor([1 / 3, -65504.0, 6e-8, float("inf")], dtype=torch.float16),
        brain=torch.tensor([1 / 3, -3e38, 1e-40], dtype=torch.bfloat16),
        i64=torch.tensor([2**62, -5]),
        i32=torch.tensor([2**31 - 1, -7], dtype=torch.int32),
        i16=torch.tensor([-300, 300], dtype=torch.int16),
        i8=torch.tensor([-128, 127], dtype=torch.int8),
        u8=torch.tensor([0, 255], dtype=torch.uint8),
        flag=torch.tensor([True, False, True]),
        lone=torch.tensor(7),
        empty=torch.zeros(0, 3),
    )
    return named


def checkpoint():
    """What a training script keeps: the weights of a network that ran on several devices, and things beside them."""
    weights = collections.OrderedDict(("module." + name, tensor) for name, tensor in tensors().items())
    return {
        "epoch": 12,
        "best": np.float64(0.875),
        "arch": "tiny",
        "state_dict": weights,
        "classes": ["cat", "dog"],
        "milestones": collections.Counter([30, 60]),
        "seen": {1, 2},
        "optimizer": {"state": {0: {"step": torch.tensor(3.0), "exp_avg": torch.ones(2)}}, "param_groups": [{"lr": 0.1, "betas": (0.9, 0.999)}]},
        "size": torch.Size([3, 2]),
        "dtype": torch.float32,
        "device": torch.device("cpu"),
        "nothing": None,
        "large": 2**80,
        "negative": -1,
    }


class Executes:
    def __reduce__(self):
        return os.system, ("touch this-file-must-not-exist",)


def big_endian(path):
    """Rewrites a saved file as a big-endian machine would have written it."""
    with zipfile.ZipFile(path) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in entries.items():
            if name.endswith("byteorder"):
                content = b"big"
            elif "/data/" in name:
                content = np.frombuffer(content, "<f4").astype(">f4").tobytes()
            archive.writestr(zipfile.ZipInfo(name), content)


def overlap(path):
    """An archive of a few kilobytes that claims a hundred storages, all of them the same bytes."""
    torch.save({str(at): torch.zeros(1000) for at in range(100)}, path)
    with zipfile.ZipFile(path) as archive:
        program, name = archive.read("overlap/data.pkl"), archive.namelist()[0].split("/")[0]
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(zipfile.ZipInfo(f"{name}/data.pkl"), program)
        archive.writestr(zipfile.ZipInfo(f"{name}/data/0"), bytes(4000))
        first = archive.infolist()[1]
        for at in range(1, 100):
            same = zipfile.ZipInfo(f"{name}/data/{at}")
            same.header_offset, same.CRC, same.file_size, same.compress_size = first.header_offset, first.CRC, 4000, 4000
            archive.filelist.append(same)
            archive.NameToInfo[same.filename] = same


def deflated(path):
    """What torch.save wrote, packed again by someone who compresses."""
    torch.save({"w": torch.zeros(100_000)}, path)
    with zipfile.ZipFile(path) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries.items():
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)


def write(out):
    torch.save(checkpoint(), out / "checkpoint.pth")
    torch.save(checkpoint(), out / "checkpoint_legacy.pth", _use_new_zipfile_serialization=False)
    torch.save(checkpoint(), out / "checkpoint_protocol4.pth", pickle_protocol=4)
    safetensors.torch.save_file({name: tensor.detach().clone().contiguous() for name, tensor in tensors().items()}, out / "tensors.safetensors", {"format": "pt"})
    torch.save({"unsigned": torch.tensor([65535, 1], dtype=torch.uint16)}, out / "unsigned.pt")
    torch.save(torch.arange(6.0).reshape(2, 3), out / "lone.pt")
    logits = torch.tensor([[2.0, -1.0, 0.5], [0.25, 3.0, -2.0], [-1.5, 0.0, 4.0], [1.0, 1.5, -0.5]], dtype=torch.float16)
    torch.save({"logits": logits.t().contiguous().t(), "labels": torch.tensor([0, 1, 2, 0])}, out / "predictions.pt")
    torch.save([torch.ones(2), {"logits": torch.zeros(1, 2), "labels": torch.tensor([1])}], out / "listed.pt")
    torch.save({"w": torch.tensor([1.5, -2.25])}, out / "big_endian.pt")
    big_endian(out / "big_endian.pt")
    torch.save({"weights": torch.ones(2), "more": Executes()}, out / "executes.pth")
    overlap(out / "overlap.pth")
    deflated(out / "deflated.pth")
    torch.save(Executes(), out / "executes_legacy.pth", _use_new_zipfile_serialization=False)
    torch.save(torch.nn.Linear(2, 2), out / "module.pth")
    torch.save({"w": torch.zeros(2, dtype=torch.complex64)}, out / "complex.pth")
    torch.save({"w": torch.zeros(2, dtype=torch.float8_e4m3fn)}, out / "float8.pth")
    safetensors.torch.save_file({"w": torch.zeros(2, dtype=torch.float8_e4m3fn)}, out / "float8.safetensors")
    torch.jit.save(torch.jit.script(torch.nn.Linear(2, 2)), out / "script.pt")
    expected = {}
    for name, tensor in tensors().items():
        floating = tensor.dtype.is_floating_point
        values = tensor.detach().double() if floating else tensor.long()
        expected[name] = {
            "kind": {"float": "f", "int": "i", "uint": "u", "bfloat": "bf", "bool": "bool"}[str(tensor.dtype)[6:].rstrip("0123456789")]
            + "".join(c for c in str(tensor.dtype) if c.isdigit()),
            "shape": list(tensor.shape),
            "values": [repr(x) if floating else str(x) for x in values.reshape(-1).tolist()],
        }
    (out / "tensors.json").write_text(json.dumps(expected, indent=1) + "\n")
