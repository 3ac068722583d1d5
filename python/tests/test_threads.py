"""The GIL is free while the library works, and threads may share an object."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import ramet
from conftest import assert_same_bits, nested_observation


def ticks_during(call):
    """Times at which another thread ran Python code, as shares of the call."""
    ticks, stop = [], threading.Event()

    def tick():
        while not stop.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.001)

    ticker = threading.Thread(target=tick)
    ticker.start()
    try:
        start = time.perf_counter()
        call()
        end = time.perf_counter()
    finally:
        stop.set()
        ticker.join()
    return [(tick - start) / (end - start) for tick in ticks]


def test_other_threads_run_during_a_call(libero):
    observation = nested_observation(libero)
    libero.get_action(observation)
    shares = ticks_during(lambda: libero.get_action(observation, {"denoising_steps": 50}))
    assert any(0.3 < share < 0.7 for share in shares)  # with the GIL held, only near 0 and 1


def test_other_threads_run_while_opening(synth):
    folder = synth("n17")
    shares = ticks_during(lambda: ramet.Policy(folder, embodiment="libero_sim", threads=1))
    assert any(0.3 < share < 0.7 for share in shares)


def test_threads_share_a_policy(libero):
    observations = [nested_observation(libero, seed=seed) for seed in range(4)]
    expected = [libero.get_action(observation, {"seed": seed})[0] for seed, observation in enumerate(observations)]
    with ThreadPoolExecutor(4) as pool:
        for _ in range(2):
            futures = [pool.submit(libero.get_action, observation, {"seed": seed})
                       for seed, observation in enumerate(observations)]
            for future, actions in zip(futures, expected):
                assert_same_bits(future.result()[0], actions)


def test_threads_share_a_tower(synth, picture):
    tower = ramet.VisionTower(synth("n17"), threads=2)
    pictures = [picture, picture[::-1], picture[:, ::-1], picture.transpose(1, 0, 2)]
    expected = [tower.encode(each) for each in pictures]
    with ThreadPoolExecutor(4) as pool:
        for encoding, wanted in zip(pool.map(tower.encode, pictures), expected):
            assert_same_bits(encoding, wanted)
    assert np.any(expected[0]["out"] != expected[1]["out"])
