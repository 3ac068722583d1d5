"""Checkpoints and pictures that the tests share; the environment of a test holds no RAMET_* of the user."""

import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
import ramet

SOURCE = Path(__file__).resolve().parents[2]
PICTURE = SOURCE / "tests/golden/data/qwen3vl_tower_72/inputs/image0.png"


def pytest_addoption(parser):
    parser.addoption("--program", required=True, help="the program ramet")


@pytest.fixture(autouse=True, scope="session")
def clean_environment(tmp_path_factory):
    os.environ["XDG_CACHE_HOME"] = str(tmp_path_factory.mktemp("cache"))
    for name in list(os.environ):
        if name.startswith("RAMET_"):
            del os.environ[name]


@pytest.fixture(scope="session")
def program(request, clean_environment):
    """Runs `ramet ARGUMENTS…`, which must succeed."""

    def run(*arguments):
        done = subprocess.run([request.config.getoption("--program"), *map(str, arguments)], capture_output=True,
                              check=False, timeout=300, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


@pytest.fixture(scope="session")
def synth(program, tmp_path_factory):
    """The folder of a tiny synthetic checkpoint of a version."""
    made = {}

    def folder(version):
        if version not in made:
            made[version] = tmp_path_factory.mktemp("checkpoint") / version
            program("synth", made[version], "--version", version, "--size", "tiny")
        return made[version]

    return folder


@pytest.fixture(scope="session")
def libero(synth):
    """N1.7 for libero_sim."""
    return ramet.Policy(synth("n17"), embodiment="libero_sim", threads=2)


@pytest.fixture(scope="session")
def picture():
    return ramet.load_image(PICTURE)


def noise_picture(seed, height, width):
    return np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8)


def nested_observation(policy, batch=1, seed=0):
    """Random pictures and states for the robot of a policy."""
    config = policy.get_modality_config()
    rng = np.random.default_rng(seed)
    frames, rows = len(config["video"].delta_indices), len(config["state"].delta_indices)
    dims = {key["key"]: key["dims"] for key in policy._robot["state"]}
    return {
        "video": {
            camera: rng.integers(0, 256, (batch, frames, 256, 256, 3), dtype=np.uint8)
            for camera in policy._robot["cameras"]
        },
        "state": {
            key: rng.uniform(-0.3, 0.3, (batch, rows, width)).astype(np.float32) for key, width in dims.items()
        },
        "language": {key: [[f"pick up cup {index}"] for index in range(batch)] for key in config["language"].modality_keys},
    }


def flat_observation(policy, batch=1, seed=0):
    nested = nested_observation(policy, batch, seed)
    flat = {f"{modality}.{key}": array for modality in ("video", "state") for key, array in nested[modality].items()}
    return flat | {key: [text for [text] in texts] for key, texts in nested["language"].items()}


def assert_same_bits(actual, expected):
    assert list(actual) == list(expected)
    for key in expected:
        assert actual[key].dtype == expected[key].dtype
        np.testing.assert_array_equal(actual[key], expected[key], err_msg=key)
