"""Policy against the program, and what a call takes and gives."""

import os
import shutil
import tracemalloc

import numpy as np
import pytest
import ramet
from conftest import PICTURE, assert_same_bits, nested_observation

STATE = {"x": [0.23], "y": [0.08], "z": [1.0], "roll": [2.6], "pitch": [0.3], "yaw": [-0.7], "gripper": [0.04, -0.04]}
TEXT = "put the cup on the plate"


@pytest.fixture
def observation(libero, picture):
    return {
        "video": {camera: picture[None, None] for camera in ("image", "wrist_image")},
        "state": {key: np.array([[value]], np.float32) for key, value in STATE.items()},
        "language": {"annotation.human.action.task_description": [[TEXT]]},
    }


def test_bits_of_predict(libero, observation, program, synth, tmp_path):
    options = [word for key, value in STATE.items() for word in ("--state", f"{key}={','.join(map(str, value))}")]
    for camera in ("image", "wrist_image"):
        options += ["--video", f"{camera}={PICTURE}"]
    program("predict", synth("n17"), "--embodiment", "libero_sim", "--instruction", TEXT, "--seed", 7, *options,
            "--output", tmp_path / "actions.npz")
    actions, info = libero.get_action(observation, {"seed": 7})
    with np.load(tmp_path / "actions.npz") as predicted:
        assert set(actions) == set(predicted.files)
        for key in actions:
            assert actions[key].dtype == np.float32
            np.testing.assert_array_equal(actions[key][0], predicted[key], err_msg=key)
    assert info["timing_ms"]["total"] > info["timing_ms"]["vision"] > 0


def test_shapes_and_order(libero, observation):
    actions, _ = libero.get_action(observation)
    config = libero.get_modality_config()["action"]
    assert list(actions) == config.modality_keys == list(STATE)
    for key in STATE:
        assert actions[key].shape == (1, len(config.delta_indices), 1)
        assert actions[key].flags.c_contiguous and actions[key].flags.writeable


def test_seeds(libero, observation):
    first, _ = libero.get_action(observation)
    again, _ = libero.get_action(observation, {"seed": 0})
    other, _ = libero.get_action(observation, {"seed": 2**64 - 1})
    assert_same_bits(again, first)
    assert any(np.any(other[key] != first[key]) for key in first)


def test_noise_replaces_seed(libero, observation):
    seeded, _ = libero.get_action(observation, {"seed": 5})
    noise = libero._policy.noise(5, 1)
    assert noise.shape == (1, *libero.noise_shape)
    assert_same_bits(libero.get_action(observation, {"noise": noise, "seed": 9})[0], seeded)
    assert_same_bits(libero.get_action(observation, {"noise": noise[0]})[0], seeded)


def test_steps(libero, observation, synth):
    two_steps = ramet.Policy(synth("n17"), embodiment="libero_sim", threads=2, steps=2)
    expected, _ = two_steps.get_action(observation)
    assert_same_bits(libero.get_action(observation, {"denoising_steps": 2})[0], expected)
    assert np.any(libero.get_action(observation)[0]["x"] != expected["x"])


def test_batch(libero):
    batch = nested_observation(libero, batch=3)
    noise = libero._policy.noise(4, 3)
    actions, _ = libero.get_action(batch, {"seed": 4})
    for index in range(3):
        one = {
            "video": {key: array[index : index + 1] for key, array in batch["video"].items()},
            "state": {key: array[index : index + 1] for key, array in batch["state"].items()},
            "language": {key: texts[index : index + 1] for key, texts in batch["language"].items()},
        }
        expected = {key: array[index : index + 1] for key, array in actions.items()}
        assert_same_bits(libero.get_action(one, {"noise": noise[index : index + 1]})[0], expected)
        assert_same_bits(libero.get_action(one, {"seed": 4 + index})[0], expected)


def test_pictures_with_gaps_and_read_only(libero, observation):
    expected, _ = libero.get_action(observation)
    picture = observation["video"]["image"]
    wide = np.repeat(picture, 2, axis=3)[:, :, :, ::2]
    mirrored = np.ascontiguousarray(picture[:, :, ::-1, ::-1])[:, :, ::-1, ::-1]
    bgr = np.ascontiguousarray(picture[..., ::-1])[..., ::-1]
    fortran = np.asfortranarray(picture)
    frozen = picture.copy()
    frozen.flags.writeable = False
    for video in (wide, mirrored, bgr, fortran, frozen):
        assert video is frozen or not video.flags.c_contiguous
        observation["video"]["image"] = video
        assert_same_bits(libero.get_action(observation)[0], expected)


def traced_peak(call):
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_pictures_are_not_copied(libero, observation):
    video = np.random.default_rng(0).integers(0, 256, (1, 1, 1000, 1000, 3), dtype=np.uint8)
    observation["video"] = {"image": video, "wrist_image": video}
    libero.get_action(observation)
    assert traced_peak(lambda: libero.get_action(observation)) < video.nbytes / 10
    observation["video"]["image"] = video[..., ::-1]
    assert traced_peak(lambda: libero.get_action(observation)) >= video.nbytes


def test_actions_outlive_the_policy(synth):
    policy = ramet.Policy(synth("n17"), embodiment="libero_sim", threads=2)
    actions, _ = policy.get_action(nested_observation(policy))
    kept = {key: array.copy() for key, array in actions.items()}
    del policy
    assert_same_bits(actions, kept)


def test_modality_config(libero):
    config = libero.get_modality_config()
    assert list(config) == ["video", "state", "action", "language"]
    assert config["video"] == ramet.ModalityConfig([0], ["image", "wrist_image"])
    assert config["state"].modality_keys == list(STATE)
    assert config["language"].modality_keys == ["annotation.human.action.task_description"]
    assert len(config["action"].action_configs) == len(STATE)
    assert all(isinstance(action, ramet.ActionConfig) for action in config["action"].action_configs)


def test_reset_and_facts(libero):
    assert libero.reset() == libero.reset({"episode_index": 3}) == {}
    assert (libero.version, libero.embodiment, libero.threads) == ("GR00T N1.7", "libero_sim", 2)


def test_executor_and_precision(libero, observation, synth):
    oracle = ramet.Policy(synth("n17"), embodiment="libero_sim", threads=2, executor="oracle")
    fp32 = ramet.Policy(synth("n17"), embodiment="libero_sim", threads=2, precision="fp32", isa="scalar")
    assert (libero.facts["executor"], libero.facts["precision"]) == ("tuned", "bf16")
    assert (oracle.facts["executor"], oracle.facts["precision"]) == ("oracle", "fp32")
    assert (fp32.facts["executor"], fp32.facts["precision"], fp32.facts["isa"]) == ("tuned", "fp32", "scalar")
    bf16, exact, close = (policy.get_action(observation)[0] for policy in (libero, oracle, fp32))
    assert any(np.any(bf16[key] != exact[key]) for key in exact)
    for key in exact:
        span = np.ptp(exact[key]) + 1e-3
        np.testing.assert_allclose(close[key], exact[key], rtol=0, atol=1e-4 * span)  # sums in another order
        np.testing.assert_allclose(bf16[key], exact[key], rtol=0, atol=0.1 * span)  # 8 bits of mantissa


def test_backbone_is_reused_only_when_it_sees_the_same(libero, observation, synth):
    policy = ramet.Policy(synth("n17"), embodiment="libero_sim", threads=2, reuse_backbone=True)
    _, first = policy.get_action(observation)
    observation["state"]["x"] = np.array([[[0.1]]], np.float32)
    reused, info = policy.get_action(observation)
    assert first["timing_ms"]["vision"] > 0 == info["timing_ms"]["vision"]
    assert_same_bits(reused, libero.get_action(observation)[0])
    observation["video"]["image"] = observation["video"]["image"][:, :, ::-1]
    changed, info = policy.get_action(observation)
    assert info["timing_ms"]["vision"] > 0
    assert_same_bits(changed, libero.get_action(observation)[0])


def test_settings_by_precedence(synth, monkeypatch, tmp_path):
    folder = shutil.copytree(synth("n17"), tmp_path / "n17", copy_function=os.link)
    (folder / "ramet.json").write_text('{"seed": 3, "threads": 1, "embodiment": "libero_sim"}')
    assert ramet.Policy(folder)._policy.seed == 3
    monkeypatch.setenv("RAMET_SEED", "4")
    monkeypatch.setenv("RAMET_THREADS", "2")
    policy = ramet.Policy(folder, seed=5)
    assert (policy._policy.seed, policy.threads, policy.embodiment) == (5, 2, "libero_sim")
    assert ramet.Policy(folder)._policy.seed == 4
