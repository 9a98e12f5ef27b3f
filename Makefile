# Every target sets itself up: it makes a virtual environment and installs what it needs there.
# `make PYTHON=python3.12 test` uses another Python; `make VENV=/tmp/env test` another place.

PYTHON ?= python3
VENV ?= .venv
PYTEST_FLAGS ?= --numprocesses auto --maxprocesses 8 --dist worksteal
# One process for each core leaves none to the threads of BLAS; the processes that tests start read compiled sources.
PYTEST = OPENBLAS_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest
MACHINE_CODE = tests/targets tests/compiler tests/hostile tests/machine/test_contract.py
QUICK = tests/test_architecture.py tests/test_public_names.py tests/test_signatures.py tests/spatial tests/model tests/graph \
  tests/published tests/machine/test_contract.py tests/io/test_urdf.py tests/io/test_all_readers.py tests/cli/test_help_examples.py
MUTANTS ?= 300
SEEDS ?= 1 2
ROOMS ?=
PAGES ?=
ARM ?= build/arm
ON_ARM ?= tests/targets tests/compiler tests/graph tests/machine/test_contract.py tests/hostile/test_fast_call_fuzz.py

BIN = $(VENV)/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
PIP = $(BIN)/python -m pip --disable-pip-version-check --quiet
WITH = $(VENV)/.with

OLD = Revolute needs Python 3.11 or newer, and $(PYTHON) is %d.%d. Name another: make PYTHON=python3.12 ...
NONE = There is no $(PYTHON). Install Python 3.11 or newer, or name it: make PYTHON=/path/to/python ...
NO_VENV = $(PYTHON) could not make a virtual environment; on Debian and Ubuntu, install python3-venv.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:
.PHONY: help demo test test-quick test-all test-arm bench mutants kept docs docs-check check dist clean

help:  ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1@\2/p' $(MAKEFILE_LIST) | \
	  while IFS=@ read -r target what; do printf '%-16s%s\n' "$$target" "$$what"; done

demo: $(WITH)-plot $(WITH)-trajectory  ## a UR5 at work: torques, powers and peak loads, as a table and a picture
	$(BIN)/revolute demo

test: $(WITH)-test  ## all tests but the slow ones
	$(PYTEST) -m "not slow" --hypothesis-profile=ci --quick --times $(PYTEST_FLAGS)

test-quick: $(WITH)-test  ## a part of the tests, in some two minutes
	$(PYTEST) -m "not slow" --hypothesis-profile=ci --quick $(PYTEST_FLAGS) $(QUICK)

test-all: $(WITH)-test $(WITH)-bridges  ## all tests; then those of machine code for each level of x86-64 that this machine has
	$(PYTEST) $(PYTEST_FLAGS)
	for level in $$($(BIN)/python -m tools.levels); do \
	  echo "REVOLUTE_CPU=$$level"; REVOLUTE_CPU=$$level $(PYTEST) $(PYTEST_FLAGS) $(MACHINE_CODE) || exit 1; \
	done

test-arm: private BIN = $(abspath $(ARM)/bin)
test-arm: $(ARM)/.made  ## the tests of compiled code on 64-bit Arm, emulated by QEMU: slow; ON_ARM=tests/graph
	nice -n 15 env PATH=$(BIN) $(PYTEST) $(ON_ARM) -m "not slow" --hypothesis-profile=ci $(PYTEST_FLAGS)

bench: $(WITH)-bench  ## measure against Pinocchio, MuJoCo and the machine; writes the tables of bench/
	$(BIN)/python -m bench.run
	$(BIN)/python -m bench.quantities
	$(BIN)/python -m bench.calls
	$(BIN)/python -m bench.anatomy
	$(BIN)/python -m bench.roofline
	$(BIN)/python -m bench.scaling
	$(BIN)/python -m bench.large_robots
	$(BIN)/python -m bench.constrained
	$(BIN)/python -m bench.contacts
	$(BIN)/python -m bench.targets
	$(BIN)/python -m bench.inverse_kinematics
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m bench.identification
	$(BIN)/python -m bench.long_logs

mutants: $(WITH)-test $(WITH)-bridges  ## measure how many small changes of the source the tests notice; MUTANTS=40 SEEDS=7 ROOMS="io cli"
	$(BIN)/python -m tools.mutants --count $(MUTANTS) --seeds $(SEEDS) --rooms $(ROOMS)

kept: $(WITH)-test  ## write the files that tests compare with the library: signatures, completions, operation counts
	$(BIN)/python tests/test_signatures.py
	$(BIN)/python tests/cli/test_completion.py
	$(BIN)/python -m bench.counts --update

docs: $(WITH)-docs  ## build the documentation in site/; PAGES="performance first-robot" generates these parts alone again
	$(BIN)/python -m tools.pages $(PAGES)
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict

docs-check: docs $(WITH)-site  ## look at every page of the documentation in Chromium: widths, contrast, requests, search
	$(BIN)/python -m tools.site_check site

check: $(WITH)-dev  ## lint, and check types
	$(BIN)/python -m ruff check .
	$(BIN)/python -m mypy

dist: $(WITH)-dist  ## build a wheel and a source distribution in dist/, and try both in new environments
	rm -rf dist
	$(BIN)/python -m build --outdir dist >/dev/null
	$(BIN)/python -m twine check --strict dist/*
	$(BIN)/python -m tools.try_dist

clean:  ## remove what the targets made, but for the virtual environment
	rm -rf build dist site demo-output .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find src tests bench tools -name __pycache__ -type d -prune -exec rm -rf {} +

$(ARM)/.made: pyproject.toml tools/arm.py $(VENV)/.made
	$(BIN)/python -m tools.arm $(ARM)
	@touch $@

# One stamp for each extra of pyproject.toml: a second run installs nothing.
$(WITH)-%: pyproject.toml $(VENV)/.made
	$(PIP) install --editable '.[$*]'
	@touch $@

$(VENV)/.made:
	@command -v $(PYTHON) >/dev/null || { echo '$(NONE)' >&2; exit 1; }
	@$(PYTHON) -c 'import sys; v = sys.version_info[:2]; sys.exit(0 if v >= (3, 11) else "$(OLD)" % v)'
	@$(PYTHON) -m venv $(VENV) || { echo '$(NO_VENV)' >&2; exit 1; }
	@touch $@
