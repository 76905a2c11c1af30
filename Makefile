# Everything here works on a fresh clone with python3, make and git: the first target that needs
# the environment makes it, and makes it anew when pyproject.toml has changed.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
RUN_STAMP := $(VENV)/.installed
DEV_STAMP := $(VENV)/.installed-dev
# Where no bytecode is kept, each worker of the tests and each start in a benchmark compiles anew.
KEEP_BYTECODE := PYTHONDONTWRITEBYTECODE=

.DEFAULT_GOAL := help
.PHONY: help setup demo test test-slow check format bench golden live baselines drift fixtures screenshots zipapp wheel deb formula mcpb plugins image clean

help: ## list the targets
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(RUN_STAMP): pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(DEV_STAMP): pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $(RUN_STAMP) $@

setup: $(DEV_STAMP) ## make the environment with all development tools

demo: $(RUN_STAMP) ## replay a sample session
	@$(BIN)/agentview demo

test: $(DEV_STAMP) ## run the tests, without those that are slow
	$(KEEP_BYTECODE) $(BIN)/python -m pytest -n auto --dist worksteal -m 'not slow'

test-slow: $(DEV_STAMP) ## run the slow tests
	$(KEEP_BYTECODE) $(BIN)/python -m pytest -n auto --dist worksteal -m slow

check: $(DEV_STAMP) ## lint, format check, types, architecture contracts
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright
	$(BIN)/lint-imports

format: $(DEV_STAMP) ## format the code and fix what can be fixed
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(DEV_STAMP) ## measure, as ratios to floors of the same run; FAST=1 for less of it
	$(KEEP_BYTECODE) $(BIN)/python -m benchmarks $(if $(FAST),--fast)

golden: $(DEV_STAMP) ## rewrite the expected events of the sample sessions
	$(BIN)/python -m tests.golden

live: $(DEV_STAMP) ## compare states with real clients, rewrite docs/states.md: CLIENTS='claude codex' [INSTALL=1]
	$(BIN)/python -m tests.live $(if $(INSTALL),--install) $(CLIENTS); code=$$?; \
	  $(BIN)/python -m docs.states && exit $$code

baselines: $(DEV_STAMP) ## write the baselines of a client: PROVIDER=codex HOME=DIR [SCENARIO=tools]
	$(BIN)/agentview dev baselines build $(PROVIDER) $(HOME) $(if $(SCENARIO),--scenario $(SCENARIO))

drift: $(DEV_STAMP) ## compare a run with the baselines: PROVIDER=codex HOME=DIR
	@$(BIN)/agentview dev baselines check $(PROVIDER) $(HOME) $(if $(SCENARIO),--scenario $(SCENARIO))

fixtures: $(DEV_STAMP) ## rewrite the fixtures of tool records: TRACES='trace.jsonl logs ...'
	$(BIN)/agentview dev fixtures build --examples 2 --write $(TRACES) \
	  --allowlist tests/fixtures/tool_fixtures.v1.allowlist.txt

screenshots: $(DEV_STAMP) ## rewrite docs/screenshots and docs/gallery
	$(BIN)/python -m docs.screenshots
	$(BIN)/python -m docs.gallery
	$(BIN)/python -m docs.recording

zipapp: $(DEV_STAMP) ## make dist/agentview.pyz, one file that runs with a python3 alone
	$(BIN)/python -m pip install --quiet --disable-pip-version-check shiv
	mkdir -p dist
	$(BIN)/shiv --quiet --console-script agentview --compressed --extend-pythonpath \
	  --python '/usr/bin/env python3' --output-file dist/agentview.pyz .

wheel: $(DEV_STAMP) ## make the wheel and the source archive in dist
	$(BIN)/python -m pip install --quiet --disable-pip-version-check build
	$(BIN)/python -m build --outdir dist .

deb: zipapp ## make a package for the Debian that this is
	$(BIN)/python packaging/build.py deb

formula: wheel ## make the formula for Homebrew, of the source archive
	$(BIN)/python packaging/build.py formula

mcpb: wheel ## make the bundle with the MCP server
	$(BIN)/python packaging/build.py mcpb

plugins: $(DEV_STAMP) ## make plug-ins for Claude Code, Codex and Gemini CLI: the skill and the server
	$(BIN)/python packaging/build.py plugins

image: ## make a container image
	docker build -f packaging/Dockerfile -t agentview .

clean: ## remove the environment and what was built
	rm -rf $(VENV) build dist
