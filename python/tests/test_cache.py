"""The folder that keeps packed weights, and the log lines about it."""

import json
import struct

import numpy as np
import pytest
import ramet
from conftest import assert_same_bits, noise_picture

WIDTH = 28_000  # so wide that packed weights are worth a file: more than 64 MiB


@pytest.fixture(scope="module")
def wide(synth, tmp_path_factory):
    """A tiny tower with wide MLPs, whose weights are zeros."""
    source = synth("qwen3-vl-2b")
    folder = tmp_path_factory.mktemp("wide")
    config = json.loads((source / "config.json").read_text())
    narrow = config["vision_config"]["intermediate_size"]
    config["vision_config"]["intermediate_size"] = WIDTH
    (folder / "config.json").write_text(json.dumps(config))
    raw = (source / "model.safetensors").read_bytes()
    (size,) = struct.unpack("<Q", raw[:8])
    header, blobs, end = {}, [], 0
    for name, entry in json.loads(raw[8 : 8 + size]).items():
        if name == "__metadata__":
            continue
        first, last = entry["data_offsets"]
        blob, shape = raw[8 + size + first : 8 + size + last], entry["shape"]
        if ".visual.blocks." in name and ".mlp." in name and narrow in shape:
            shape = [WIDTH if dim == narrow else dim for dim in shape]
            blob = bytes(len(blob) // narrow * WIDTH)
        header[name] = {"dtype": entry["dtype"], "shape": shape, "data_offsets": [end, end + len(blob)]}
        blobs.append(blob)
        end += len(blob)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    (folder / "model.safetensors").write_bytes(b"".join([struct.pack("<Q", len(text)), text, *blobs]))
    return folder


@pytest.fixture(scope="module")
def picture():
    return noise_picture(0, 64, 64)


@pytest.fixture(scope="module")
def expected(wide, picture):
    return ramet.VisionTower(wide, threads=2, cache="").encode(picture)


def files(folder):
    """Of packed weights; a machine with a choice of kernels keeps their times in the same folder."""
    return sorted(folder.rglob("*.safetensors"))


def packing_records(caplog):
    return [record for record in caplog.records if "packed_weights" in record.getMessage()]


def encode(wide, picture, **settings):
    return ramet.VisionTower(wide, threads=2, **settings).encode(picture)


def test_kept_weights_are_used_again(wide, picture, expected, tmp_path):
    assert_same_bits(encode(wide, picture, cache=tmp_path / "kept"), expected)
    (kept,) = files(tmp_path / "kept")
    written = kept.stat().st_mtime_ns
    assert kept.stat().st_size > 64 << 20
    assert_same_bits(encode(wide, picture, cache=tmp_path / "kept"), expected)
    assert [kept.stat().st_mtime_ns] == [path.stat().st_mtime_ns for path in files(tmp_path / "kept")] == [written]


def test_users_folder_unless_off(wide, picture, expected, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert_same_bits(encode(wide, picture, cache=""), expected)
    assert files(tmp_path) == []
    assert_same_bits(encode(wide, picture), expected)
    assert len(files(tmp_path / "ramet")) == 1


def test_off_wins_over_the_environment(wide, picture, tmp_path, monkeypatch):
    monkeypatch.setenv("RAMET_CACHE", str(tmp_path))
    encode(wide, picture, cache="")
    assert files(tmp_path) == []


def test_damaged_file_is_logged_and_rebuilt(wide, picture, expected, tmp_path, caplog):
    encode(wide, picture, cache=tmp_path)
    (kept,) = files(tmp_path)
    damaged = bytearray(kept.read_bytes())
    damaged[len(damaged) // 2] ^= 1
    kept.write_bytes(damaged)
    assert not packing_records(caplog)
    assert_same_bits(encode(wide, picture, cache=tmp_path), expected)
    (record,) = packing_records(caplog)
    assert (record.name, record.levelname) == ("ramet", "WARNING") and "packed_weights_rebuilt" in record.getMessage()


def test_folder_that_cannot_be_is_logged(wide, picture, expected, tmp_path, caplog):
    (tmp_path / "file").write_text("in the way")
    assert_same_bits(encode(wide, picture, cache=tmp_path / "file"), expected)
    (record,) = packing_records(caplog)
    assert "packed_weights_not_kept" in record.getMessage()
    assert np.isfinite(expected["out"]).all()
