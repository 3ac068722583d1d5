"""VisionTower against the program, and the pictures it takes."""

import json
import struct

import numpy as np
import pytest
import ramet
from conftest import PICTURE, assert_same_bits, noise_picture


@pytest.fixture(scope="module")
def tower(synth):
    return ramet.VisionTower(synth("n17"), threads=2)


def read_safetensors(path):
    raw = path.read_bytes()
    (size,) = struct.unpack("<Q", raw[:8])
    header = json.loads(raw[8 : 8 + size])
    dtypes = {"F32": np.float32, "I64": np.int64}
    arrays = {}
    for name, entry in header.items():
        if name != "__metadata__":
            first, last = entry["data_offsets"]
            data = raw[8 + size + first : 8 + size + last]
            arrays[name] = np.frombuffer(data, dtypes[entry["dtype"]]).reshape(entry["shape"])
    return arrays


@pytest.mark.parametrize("video", [False, True])
def test_bits_of_encode(tower, picture, program, synth, tmp_path, video):
    program("encode", synth("n17"), PICTURE, PICTURE, *(["--video"] if video else []), "--output",
            tmp_path / "out.safetensors")
    encoded = read_safetensors(tmp_path / "out.safetensors")
    encoding = tower.encode([picture, picture], video=video)
    assert set(encoding) == set(encoded) > {"out", "deepstack.0", "grid"}
    assert_same_bits(encoding, {name: encoded[name] for name in encoding})


def test_one_stacked_and_listed(tower):
    pictures = [noise_picture(seed, 64, 96) for seed in range(2)]
    expected = tower.encode(pictures)
    assert_same_bits(tower.encode(np.stack(pictures)), expected)
    assert_same_bits(tower.encode(tuple(pictures)), expected)


def test_pictures_do_not_see_each_other(synth):
    tower = ramet.VisionTower(synth("n17"), threads=2, executor="oracle")  # whose rows are computed one by one
    pictures = [noise_picture(seed, 64, 96) for seed in range(2)]
    expected = tower.encode(pictures)
    one = tower.encode(pictures[0])
    np.testing.assert_array_equal(one["out"], expected["out"][: len(one["out"])])
    assert one["grid"].tolist() == expected["grid"][:1].tolist()


def test_sizes_may_differ(tower):
    encoding = tower.encode([noise_picture(0, 64, 96), noise_picture(1, 128, 64)])
    tokens = encoding["grid"].prod(axis=1) // 4
    assert encoding["out"].dtype == np.float32 and encoding["grid"].dtype == np.int64
    assert len(encoding["out"]) == len(encoding["deepstack.0"]) == tokens.sum()


def test_pictures_with_gaps(tower):
    picture = noise_picture(3, 64, 96)
    expected = tower.encode(picture)
    assert_same_bits(tower.encode(np.repeat(picture, 2, axis=1)[:, ::2]), expected)
    assert_same_bits(tower.encode(np.asfortranarray(picture)), expected)


@pytest.mark.parametrize(
    ("images", "code", "where"),
    [
        ([], "*", ""),
        ("picture.png", "invalid_value", "images"),
        (7, "invalid_value", "images"),
        (["picture.png"], "invalid_value", "images[0]"),
        (np.zeros((64, 64, 3)), "unsupported_dtype", "images[0]"),
        (np.zeros((64, 64), np.uint8), "shape_mismatch", "images[0]"),
        (np.zeros((64, 64, 4), np.uint8), "shape_mismatch", "images[0]"),
        (np.zeros((2, 2, 64, 64, 3), np.uint8), "shape_mismatch", "images[0]"),
        (np.zeros((0, 64, 3), np.uint8), "*", ""),
    ],
)
def test_wrong_pictures(tower, images, code, where):
    with pytest.raises(ramet.RametError) as caught:
        tower.encode(images)
    assert caught.value.code == code or code == "*"
    assert where in caught.value.where


def test_load_image(tmp_path):
    picture = ramet.load_image(PICTURE)
    assert picture.dtype == np.uint8 and picture.ndim == 3 and picture.shape[2] == 3
    with pytest.raises(FileNotFoundError):
        ramet.load_image(tmp_path / "none.png")
    (tmp_path / "text.png").write_text("no picture")
    with pytest.raises(ramet.InvalidError) as caught:
        ramet.load_image(tmp_path / "text.png")
    assert caught.value.code == "invalid_file"


def test_folder_without_tower(tmp_path):
    with pytest.raises(ramet.RametError) as caught:
        ramet.VisionTower(tmp_path)
    assert str(tmp_path) in caught.value.where
