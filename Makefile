# Everything a user or a developer does with a clone. `make` lists it.
PREFIX  ?= /usr/local
SECONDS ?= 20
FRAMES  ?=
JOBS    ?= $(shell nproc)

# Parts that read foreign bytes or compute with raw memory. The others, whose builds take long, on wish:
# make asan ASAN_TESTS="models_test gr00t_n15_test policy_test"
ASAN_TESTS = base_test weights_test ops_test program_test image_test text_test robot_test protocol_test

# Parts that share memory between threads.
TSAN_TESTS = base_test weights_test program_test

.DEFAULT_GOAL := help
.PHONY: help setup build python demo test test-full install asan tsan fuzz bench format format-check tidy layers load readme clean

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup:  ## install what is missing (packages, vocabulary); asks before it uses sudo
	@tools/setup.sh

build:  ## the program: build/release/ramet
	@tools/setup.sh build test
	@cmake --preset release --log-level=WARNING
	cmake --build --preset release -j $(JOBS) --target ramet

python: setup  ## the Python package: build/release/python/ramet
	@cmake --preset release --log-level=WARNING
	cmake --build --preset release -j $(JOBS) --target ramet_python

demo: build  ## predict with a synthetic checkpoint from real pictures; FRAMES="head.png wrist.jpg" takes yours
	@tools/demo.sh $(FRAMES)

test: setup  ## build and run every test but the full-size ones
	@cmake --preset release --log-level=WARNING
	cmake --build --preset release -j $(JOBS)
	tools/run_tests.py release -j $(JOBS)

test-full: setup  ## the full-size golden cases: minutes, and some GB of memory and disk
	@cmake --preset release --log-level=WARNING
	cmake --build --preset release -j $(JOBS)
	tools/run_tests.py full

install: build  ## program, library, headers, CMake package and data into PREFIX=/usr/local
	cmake --build --preset release -j $(JOBS) --target ramet_library
	cmake --install build/release --prefix $(PREFIX)

asan:  ## parsers, kernels and programs under AddressSanitizer and UndefinedBehaviorSanitizer
	@tools/setup.sh build test check
	@cmake --preset asan --log-level=WARNING
	cmake --build --preset asan -j $(JOBS) --target $(ASAN_TESTS)
	tools/run_tests.py asan -j $(JOBS) --tests-regex '^($(subst $() ,|,$(ASAN_TESTS)))\.'

tsan:  ## the thread pool, the readers and replay under ThreadSanitizer
	@tools/setup.sh build test
	@cmake --preset tsan --log-level=WARNING
	cmake --build --preset tsan -j $(JOBS) --target $(TSAN_TESTS)
	tools/run_tests.py tsan --tests-regex '^($(subst $() ,|,$(TSAN_TESTS)))\.'

fuzz:  ## each fuzzer for SECONDS=20, in the build folder of asan
	@tools/setup.sh build test check
	@cmake --preset asan --log-level=WARNING
	cmake --build --preset asan -j $(JOBS) --target fuzzers
	tools/run_fuzzers.sh $(SECONDS)

load: build  ## `ramet serve` under clients, valid and hostile ones, for SECONDS=20
	@tools/setup.sh build test
	tests/load/run.sh $(SECONDS)

bench:  ## the benchmarks of the ops
	@tools/setup.sh build test bench
	@cmake --preset release -DRAMET_BENCHES=ON --log-level=WARNING
	cmake --build --preset release -j $(JOBS)
	@for bench in build/release/benches/*_bench; do $$bench || exit 1; done

format:  ## lay out every source with clang-format
	@tools/setup.sh check
	git ls-files -co --exclude-standard '*.h' '*.c' '*.cpp' | xargs clang-format -i

format-check:  ## fail where `make format` would change something
	@tools/setup.sh check
	git ls-files -co --exclude-standard '*.h' '*.c' '*.cpp' | xargs clang-format --dry-run --Werror

tidy:  ## clang-tidy on every source that is no test
	@tools/setup.sh build check
	tools/tidy.sh -j $(JOBS)

layers:  ## the include directions of docs/architecture.md
	tools/check_layers_test.py --quiet
	tools/check_layers.py

readme: build python  ## run the commands of README.md and compare their output
	tools/check_readme.py README.md

clean:  ## remove what was built; the fetched vocabulary stays
	rm -rf build/release build/debug build/asan build/tsan build/tidy build/demo
