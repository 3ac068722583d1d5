"""Nested and flat observations, with and without a batch axis, for the three versions."""

import numpy as np
import pytest
import ramet
from conftest import assert_same_bits, flat_observation, nested_observation

ROBOTS = {"n15": "gr1", "n16": "libero_panda", "n17": "libero_sim"}


@pytest.fixture(scope="module", params=ROBOTS)
def policy(request, synth):
    return ramet.Policy(synth(request.param), embodiment=ROBOTS[request.param], threads=2)


@pytest.fixture(scope="module")
def n15(synth):
    return ramet.Policy(synth("n15"), embodiment=ROBOTS["n15"], threads=2)


def test_flat_is_nested_with_prefixes(policy):
    nested, _ = policy.get_action(nested_observation(policy, batch=2))
    flat, _ = policy.get_action(flat_observation(policy, batch=2))
    assert_same_bits(flat, {f"action.{key}": array for key, array in nested.items()})


def test_actions_match_the_modality_config(policy):
    config = policy.get_modality_config()["action"]
    actions, _ = policy.get_action(flat_observation(policy))
    names = config.modality_keys if policy.version == "GR00T N1.5" else [f"action.{key}" for key in config.modality_keys]
    assert list(actions) == names
    assert all(array.shape[:2] == (1, len(config.delta_indices)) for array in actions.values())


def test_n15_without_batch_axis(n15):
    batched = flat_observation(n15)
    expected, _ = n15.get_action(batched)
    one = {key: value[0] if isinstance(value, np.ndarray) else value for key, value in batched.items()}
    as_doubles = {key: value.astype(np.float64) if key.startswith("state.") else value for key, value in one.items()}
    for observation in (one, as_doubles):
        actions, _ = n15.get_action(observation)
        assert_same_bits(actions, {key: array[0] for key, array in expected.items()})


def test_texts_as_tuple_and_array(policy):
    observation = flat_observation(policy)
    expected, _ = policy.get_action(observation)
    keys = policy.get_modality_config()["language"].modality_keys
    for make in (tuple, np.array):
        actions, _ = policy.get_action({key: make(value) if key in keys else value for key, value in observation.items()})
        assert_same_bits(actions, expected)


def test_other_keys_are_ignored(policy):
    observation = nested_observation(policy)
    expected, _ = policy.get_action(observation)
    observation["video"]["ceiling"] = "no picture"
    observation["tactile"] = None
    assert_same_bits(policy.get_action(observation)[0], expected)


def test_text_reaches_the_policy(policy):
    observation = nested_observation(policy)
    expected, _ = policy.get_action(observation)
    for texts in observation["language"].values():
        texts[0] = ["open the drawer slowly"]
    actions, _ = policy.get_action(observation)
    assert any(np.any(actions[key] != expected[key]) for key in expected)
