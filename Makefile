# TernMQ's front door. CI runs the same targets and nothing else.

PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
PLAIN := TERNMQ_PURE=1 PYTHONPATH=src
ARGS ?=

.DEFAULT_GOAL := help

help: ## print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(VENV)/ready: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(PY) -m pip install -q --upgrade pip
	$(PY) -m pip install -q crc32c mypy_extensions hypothesis pytest pytest-timeout pytest-xdist \
		codespell import-linter 'mypy==2.4.*' 'ruff==0.17.*' 'setuptools>=77'
	@touch $@

setup: $(VENV)/ready ## make .venv with the tools and the compiled package

test: setup ## run every test
	$(PLAIN) $(PY) -m pytest -n 2 $(ARGS)

check: setup ## format, lint, types, imports, tidy
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/ruff check .
	$(PY) -m mypy

format: setup ## rewrite the sources in the house format
	$(VENV)/bin/ruff format .
	$(VENV)/bin/ruff check --fix-only .

.PHONY: help setup test check format
