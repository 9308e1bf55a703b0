# Two commands on a fresh machine: `make demo` and `make test`. Each sets up everything it needs first.

.PHONY: demo test test-all lint facts picture bench redteam conformance fuzz real-model setup setup-dev setup-all setup-fuzz format clean

BIN := .venv/bin
AGENTS := .agent-packages
comma := ,

unexport PYTHONDONTWRITEBYTECODE  # or everything that is imported is compiled again by each program

EXECUTOR ?= local

demo: setup
	@$(BIN)/gaia demo --executor $(EXECUTOR)

PYTEST := $(BIN)/pytest -n $$(( $$(nproc) * 2 )) --dist worksteal  # many of them wait more than they work

test: setup-dev
	@$(BIN)/pytest --collect-only -qq >/dev/null 2>&1 &  # compiles the tests for all workers, beside the linters
	@$(MAKE) --no-print-directory lint
	$(PYTEST) -m 'not cases'

test-all: setup-all lint $(AGENTS)/ready
	AGENT_PACKAGES=$(CURDIR)/$(AGENTS) $(PYTEST) --thorough

$(AGENTS)/ready: tests/box/agent-packages.txt
	$(BIN)/python -m venv --clear $(AGENTS)
	$(AGENTS)/bin/python -m pip install -q --disable-pip-version-check -r $<
	@touch $@

lint: setup-dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m scripts.source_facts --check

facts: setup-dev
	$(BIN)/python -m scripts.source_facts

picture: setup-dev
	$(BIN)/pytest --redraw tests/viewing/test_picture.py

setup:
	@./scripts/setup run$(if $(filter ray,$(EXECUTOR)),$(comma)ray)

setup-dev:
	@./scripts/setup run,dev,inspect,mcp

setup-all:
	@./scripts/setup run,dev,inspect,mcp,ray

setup-fuzz:
	@./scripts/setup run,dev,inspect,mcp,fuzz

format: setup-dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf .venv $(AGENTS) dist build .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

bench: setup-dev facts
	PYTHONPATH=$(CURDIR) $(BIN)/python benchmarks/run.py

redteam: facts
	$(BIN)/python -m redteam --out docs/redteam.json --page docs/audit-figures.md

conformance: setup-dev facts
	$(BIN)/python conformance/build.py

FUZZ_SECONDS ?= 60

fuzz: setup-fuzz
	$(BIN)/python fuzz/run.py --seconds $(FUZZ_SECONDS)

real-model: setup-dev
	$(BIN)/python scripts/real_model.py
