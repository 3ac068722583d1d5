"""Every wrong input is a RametError that says where, what was expected and what was found."""

import pickle

import numpy as np
import pytest
import ramet
from conftest import flat_observation, nested_observation


def changed(change):
    def make(policy):
        observation = nested_observation(policy, batch=2)
        change(observation)
        return observation

    return make


def put(modality, key, value):
    return changed(lambda observation: observation[modality].__setitem__(key, value(observation[modality][key])))


def drop(modality, key=None):
    return changed(lambda observation: observation.pop(modality) if key is None else observation[modality].pop(key))


def flat_without(key):
    return lambda policy: {name: value for name, value in flat_observation(policy).items() if name != key}


def with_nan(array):
    array[1, 0, 0] = np.nan
    return array


TASK = "annotation.human.action.task_description"
BAD_OBSERVATIONS = {
    "not a dict": (lambda _: [1], "invalid_value", "observation", "a dict", "list"),
    "empty": (lambda _: {}, "not_found", "video.image", "an array", "none"),
    "no video": (drop("video"), "not_found", "observation: video", "a dict", "none"),
    "no camera": (drop("video", "image"), "not_found", "video.image", "an array", "none"),
    "no state": (drop("state", "yaw"), "not_found", "state.yaw", "an array", "none"),
    "no language": (drop("language", TASK), "not_found", f"language.{TASK}", "under this key", "none"),
    "flat, no camera": (flat_without("video.image"), "not_found", "video.image", "an array", "none"),
    "flat, no text": (flat_without(TASK), "not_found", TASK, "texts", "none"),
    "video as list": (put("video", "image", lambda a: a.tolist()), "invalid_value", "video.image", "uint8", "list"),
    "float video": (put("video", "image", lambda a: a / np.float32(255)), "unsupported_dtype", "video.image", "uint8",
                    "float32 [2,"),
    "signed video": (put("video", "image", lambda a: a.view(np.int8)), "unsupported_dtype", "video.image", "uint8", "int8"),
    "no batch axis": (put("video", "image", lambda a: a[0]), "shape_mismatch", "video.image", "[batch, 1, height", "uint8 [1,"),
    "two frames": (put("video", "image", lambda a: np.repeat(a, 2, axis=1)), "shape_mismatch", "video.image", "[batch, 1,",
                   "[2, 2,"),
    "grey": (put("video", "image", lambda a: a[..., :1]), "shape_mismatch", "video.image", "3]", "1]"),
    "channels first": (put("video", "image", lambda a: np.moveaxis(a, -1, 2)), "shape_mismatch", "video.image", "3]",
                       "[2, 1, 3,"),
    "no pixels": (put("video", "image", lambda a: a[:, :, :0]), "*", "video.image", "", ""),
    "other batch": (put("video", "wrist_image", lambda a: a[:1]), "shape_mismatch", "video.wrist_image", "a batch of 2", "1"),
    "other batch of states": (put("state", "x", lambda a: a[:1]), "shape_mismatch", "state.x", "a batch of 2", "1"),
    "no batch": (changed(lambda o: o["video"].update({key: a[:0] for key, a in o["video"].items()})), "shape_mismatch",
                 "video.image", "at least 1", "0"),
    "double states": (put("state", "x", lambda a: a.astype(np.float64)), "unsupported_dtype", "state.x", "float32", "float64"),
    "big-endian states": (put("state", "x", lambda a: a.astype(">f4")), "unsupported_dtype", "state.x", "float32", ">f4"),
    "state without rows": (put("state", "x", lambda a: a[:, 0]), "shape_mismatch", "state.x", "[batch, 1, dims]", "[2, 1]"),
    "wide state": (put("state", "x", lambda a: np.repeat(a, 3, axis=2)), "shape_mismatch", "state.x", "1", "3"),
    "NaN": (put("state", "x", with_nan), "not_finite", "state.x", "finite", "nan"),
    "text alone": (put("language", TASK, lambda _: "pick"), "invalid_value", f"language.{TASK}", "a list of 2", "str"),
    "one text": (put("language", TASK, lambda _: [["pick"]]), "shape_mismatch", f"language.{TASK}", "a list of 2", "1 items"),
    "flat texts": (put("language", TASK, lambda _: ["a", "b"]), "invalid_value", f"language.{TASK}[0]", "a list of 1", "str"),
    "two texts": (put("language", TASK, lambda _: [["a", "b"], ["c"]]), "shape_mismatch", f"language.{TASK}[0]", "a list of 1",
                  "2 items"),
    "bytes": (put("language", TASK, lambda _: [[b"a"], [b"c"]]), "invalid_value", f"language.{TASK}[0][0]", "a text", "bytes"),
}


@pytest.mark.parametrize("name", BAD_OBSERVATIONS)
def test_observation(libero, name):
    make, code, where, expected, found = BAD_OBSERVATIONS[name]
    with pytest.raises(ramet.RametError) as caught:
        libero.get_action(make(libero))
    error = caught.value
    assert error.code == code or code == "*"
    assert where in error.where and expected in error.expected and found in error.found
    assert str(error).startswith(f"{error.where}: expected {error.expected}, found {error.found}")


BAD_OPTIONS = {
    "not a dict": ([1], "invalid_value", "options", "a dict", "list"),
    "seed below 0": ({"seed": -1}, "invalid_value", "seed", "0 to", "-1"),
    "seed too large": ({"seed": 2**64}, "invalid_value", "seed", "0 to", str(2**64)),
    "seed as text": ({"seed": "1"}, "invalid_value", "seed", "an integer", "str"),
    "seed as truth": ({"seed": True}, "invalid_value", "seed", "an integer", "bool"),
    "no steps": ({"denoising_steps": 0}, "invalid_value", "denoising_steps", "1 to 1000", "0"),
    "noise as list": ({"noise": [[0.0]]}, "invalid_value", "noise", "float32", "list"),
    "noise as doubles": ({"noise": np.zeros((2, 2, 2))}, "unsupported_dtype", "noise", "float32", "float64"),
    "noise too small": ({"noise": np.zeros((2, 2, 2), np.float32)}, "shape_mismatch", "noise", "float32 [2,", "[2, 2, 2]"),
}


@pytest.mark.parametrize("name", BAD_OPTIONS)
def test_option(libero, name):
    options, code, where, expected, found = BAD_OPTIONS[name]
    with pytest.raises(ramet.RametError) as caught:
        libero.get_action(nested_observation(libero, batch=2), options)
    error = caught.value
    assert error.code == code
    assert where in error.where and expected in error.expected and found in error.found


def test_noise_that_is_not_finite(libero):
    noise = np.full((1, *libero.noise_shape), np.inf, np.float32)
    with pytest.raises(ramet.RametError, match="noise") as caught:
        libero.get_action(nested_observation(libero), {"noise": noise})
    assert caught.value.code == "not_finite"


def test_unknown_option_warns(libero):
    observation = nested_observation(libero)
    with pytest.warns(UserWarning, match="'action_horizon' is ignored"):
        libero.get_action(observation, {"action_horizon": 8})


def test_not_strict_converts_states(libero, synth):
    relaxed = ramet.Policy(synth("n17"), embodiment="libero_sim", threads=2, strict=False)
    observation = nested_observation(relaxed)
    expected, _ = libero.get_action(observation)
    observation["state"]["x"] = observation["state"]["x"].astype(np.float64)
    np.testing.assert_array_equal(relaxed.get_action(observation)[0]["x"], expected["x"])
    observation["state"]["x"] = np.full((1, 1, 1), 1e300)
    with pytest.raises(ramet.RametError) as caught:
        relaxed.get_action(observation)
    assert caught.value.code == "not_finite"


def test_missing_directory(tmp_path):
    with pytest.raises(FileNotFoundError) as caught:
        ramet.Policy(tmp_path / "nowhere")
    error = caught.value
    assert isinstance(error, ramet.RametError) and error.code == "not_found"
    assert str(tmp_path / "nowhere") in error.where and error.expected and error.found


def test_unknown_embodiment_lists_the_known(synth):
    with pytest.raises(LookupError) as caught:
        ramet.Policy(synth("n17"), embodiment="libero_simm")
    assert "libero_sim" in str(caught.value)


@pytest.mark.parametrize(
    ("setting", "value", "where"),
    [("threads", 0, "threads"), ("threads", "many", "threads"), ("steps", 1.5, "steps"), ("seed", -1, "seed"),
     ("executor", "magic", "executor"), ("quirks", {"no_such": "on"}, "no_such"), ("embodiment", "", "embodiment"),
     ("threads", True, "threads")])
def test_setting(synth, setting, value, where):
    with pytest.raises(ramet.RametError) as caught:
        ramet.Policy(synth("n17"), **{"embodiment": "libero_sim", setting: value})
    assert where in caught.value.where or where in caught.value.found


def test_directory_of_another_type():
    with pytest.raises(ramet.RametError, match="directory"):
        ramet.Policy(3)


def test_environment(synth, monkeypatch):
    monkeypatch.setenv("RAMET_THREADS", "many")
    with pytest.raises(ValueError, match="RAMET_THREADS"):
        ramet.Policy(synth("n17"), embodiment="libero_sim")
    monkeypatch.delenv("RAMET_THREADS")
    monkeypatch.setenv("RAMET_THREAD", "2")
    with pytest.raises(ValueError, match="did you mean RAMET_THREADS"):
        ramet.Policy(synth("n17"), embodiment="libero_sim")


def test_errors_can_be_pickled():
    for code in ("not_found", "no_memory", "no_resource", "unsupported", "unsupported_dtype", "internal"):
        error = ramet.errors.from_code(code, "here", "this", "that", "do so")
        again = pickle.loads(pickle.dumps(error))
        assert type(again) is type(error)
        assert (again.code, again.where, again.expected, again.found, again.hint) == error.args
        assert str(again) == "here: expected this, found that; do so"
