# `make run` and `make test` do everything on a fresh machine; `make help` lists the rest.

# Variables count on the command line alone, not in the environment.
PYTHON = python3
CORES =
# A .tgz or an unpacked folder of the WMT archive, instead of downloading it.
ARCHIVE =
# An extra yaml file, merged over the run's config; or several, one over the other.
CONFIG =
# `no` leaves out the metrics that need an encoder.
NEURAL = yes
# A partial target, e.g. liu2022_table2 or wmt19_en_de; several may be named.
TARGET = all
# Where jobs run: a folder of workflow/profiles, which says how many cores, too.
PROFILE = default
# Of Slurm, where the cluster asks for them.
ACCOUNT =
PARTITION =
# The PyTorch that is installed: auto takes CUDA's if this machine has a GPU; else cpu, cu126, cu130, …
TORCH = auto
# A file of workflow/studies, for `make study`.
STUDY = difficulty_weighting
# The reference program, for `make bench`.
FAST_ALIGN =
# A clone of mt-metrics-eval, for `make bench`.
MTME =
# A checkout of another version, with its .venv, for `make bench`.
BASE =

VARIABLES := PYTHON CORES ARCHIVE CONFIG NEURAL TARGET PROFILE ACCOUNT PARTITION TORCH STUDY \
	FAST_ALIGN MTME BASE
UNKNOWN := $(strip $(foreach name,$(filter-out $(VARIABLES),$(.VARIABLES)),\
	$(if $(filter command,$(origin $(name))),$(name))))
$(if $(UNKNOWN),$(error $(UNKNOWN): no such variable; there are: $(VARIABLES)))
# Programs read them, and nothing has to be quoted.
export $(VARIABLES)

# The pins of a conda environment, instead of those that it has.
environment = { sed '/- pip:/q' envs/$(1).yaml; sed 's/^/      - /'; } > envs/$(1).new && mv envs/$(1).new envs/$(1).yaml

# Python compiles what is imported and keeps it, which is less than all that is installed.
unexport PYTHONDONTWRITEBYTECODE

# Snakemake, pip and uv keep a cache in the home folder; where that cannot be written, in this one.
CACHE_IS_WRITABLE := $(shell folder=$${XDG_CACHE_HOME:-$$HOME/.cache}; \
	while [ ! -e "$$folder" ]; do folder=$$(dirname "$$folder"); done; \
	[ -n "$$XDG_CACHE_HOME$$HOME" ] && [ -d "$$folder" ] && [ -w "$$folder" ] && echo yes)
ifeq ($(CACHE_IS_WRITABLE),)
export XDG_CACHE_HOME := $(CURDIR)/.cache
endif

VENV := .venv
BIN := $(VENV)/bin
# Checks variables and configs, locks the results and starts Snakemake.
RUN = PYTHONPATH="workflow/scripts$${PYTHONPATH:+:$$PYTHONPATH}" $(BIN)/python -m mt_difficulty.plan.launch

TESTS = $(BIN)/python -m pytest -rs -n logical --dist loadfile --no-loadscope-reorder

.PHONY: help run paper plan study difficulty fetch test test-all coverage lint docs format bench lock

help: ## list the targets
	@grep -E '^[a-z-]+:.*##' Makefile | sed 's/:.*##/\t/' | expand -t 12

run: $(VENV)/installed ## the whole workflow on the embedded demo campaign
	@$(RUN) data/demo/config.yaml

paper: $(VENV)/installed $(if $(filter-out default,$(PROFILE)),fetch) ## the paper run of config.yaml
	@$(RUN)

plan: $(VENV)/installed ## what the paper run would do, jobs by rule, without running any
	@$(RUN) --dry-run

study: $(VENV)/installed ## a study over all campaigns of an archive: STUDY names a file of workflow/studies
	@$(RUN) --study --target study

difficulty: $(VENV)/installed ## compare difficulty estimators over all campaigns of an archive
	@$(RUN) --target difficulty workflow/difficulty.yaml

fetch: $(VENV)/installed ## download what the paper run needs, to work offline afterwards
	@$(RUN) --profile default --target fetch

test: $(VENV)/installed-dev ## the tests that guard the numbers and the ways of use
	$(TESTS)

test-all: test ## every test: those of `make test`, then the slow ones
	$(TESTS) -m slow

coverage: $(VENV)/installed-dev ## every test; fails if less than 90 % of the package's lines are run
	$(TESTS) -m "" --cov

lint: $(VENV)/installed-dev ## ruff, snakefmt, mypy, snakemake --lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/snakefmt --check Snakefile workflow
	$(BIN)/mypy
	$(BIN)/snakemake --lint --configfile data/demo/config.yaml

docs: $(VENV)/installed-dev ## build the documentation site in docs/_build
	$(BIN)/python -m sphinx -q -W --keep-going -c docs . docs/_build

format: $(VENV)/installed-dev ## format the code
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	$(BIN)/snakefmt Snakefile workflow

bench: $(VENV)/installed-dev ## measure speed against peers and, with BASE, another version; prints docs/speed.md
	@$(BIN)/python bench/bench.py $${ARCHIVE:+--archive "$$ARCHIVE"}

lock: ## renew the pinned requirements
	rm -rf $(VENV)-lock
	"$$PYTHON" -m venv $(VENV)-lock
	$(VENV)-lock/bin/pip install --quiet -r envs/base.in -r envs/workflow.in
	$(VENV)-lock/bin/pip freeze | $(call environment,workflow)
	$(VENV)-lock/bin/pip install --quiet -r envs/requirements.in
	$(VENV)-lock/bin/pip freeze | sed 's/+cpu//' > envs/requirements.txt
	cat envs/requirements.txt | $(call environment,environment)
	$(VENV)-lock/bin/pip install --quiet -r envs/requirements-dev.in
	$(VENV)-lock/bin/pip freeze | sed 's/+cpu//' > envs/requirements-dev.txt
	rm -rf $(VENV)-lock

$(VENV)/bin/pip:
	@"$$PYTHON" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "mt-difficulty needs Python 3.11 or newer; name one: make PYTHON=python3.12"; exit 1; }
	"$$PYTHON" -m venv $(VENV)

# uv takes PyTorch as this machine needs it, without CUDA's 3 GB where there is no GPU. Where uv
# cannot reach PyTorch's index, or there is no uv, packages come from where pip finds them.
PIP = $(BIN)/pip install --quiet --disable-pip-version-check
UV = UV_HTTP_RETRIES=0 UV_FIND_LINKS="$$PIP_FIND_LINKS" \
	$(BIN)/uv pip install --quiet --python $(BIN)/python
define install
	@echo "Installing $(1)"
	@$(PIP) uv==0.13.9 && { $(UV) --torch-backend=$(TORCH) -r $(1) 2> /dev/null || $(UV) -r $(1); } || $(PIP) -r $(1)
endef

$(VENV)/installed: envs/requirements.txt pyproject.toml | $(VENV)/bin/pip
	$(call install,envs/requirements.txt)
	@# The command mt-difficulty; PyTorch has brought setuptools.
	@$(PIP) --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/installed-dev: envs/requirements-dev.txt $(VENV)/installed
	$(call install,envs/requirements-dev.txt)
	@touch $@
