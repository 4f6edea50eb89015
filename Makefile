# TernMQ's front door. CI runs the same targets and nothing else. docs/internals/build.md explains the builds.

PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
N ?= 2
# One more than there are processors: a third of the time tests wait, for a process or a socket.
WORKERS ?= 3
ARGS ?=
TOUR ?= examples/tour.py --whole

# Plain files run from src; the compiled wheel is what is installed in .venv.
PLAIN := TERNMQ_PURE=1 TERNMQ_EXPECT=plain PYTHONPATH=src
COMPILED := env -u TERNMQ_PURE -u PYTHONPATH TERNMQ_EXPECT=compiled
# worksteal: the long walks come last in the files, and no worker may sit idle beside them
PYTEST := $(PY) -m pytest -n $(WORKERS) --dist worksteal
# What was skipped, for the end of make test
LEFT_OUT := build/left-out.jsonl
# SYSTEM=1: as root on Debian, install what the machine lacks (ccache, Java ...)
PREPARE := $(PYTHON) tools/prepare.py $(if $(SYSTEM),--system)

.DEFAULT_GOAL := help
.PHONY: bare forget-left-out help setup tools compile run quick test test-plain test-spark test-compiled check generated docs format bench wheel clean crash sim soak canaries interop capture judges smf-judge fuzz broken-lines every-byte fire fire-cluster cluster

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: ## make .venv: tools and the compiled package (seconds when nothing changed)
	@$(PREPARE)

tools: ## make .venv with the tools alone
	@$(PREPARE) --tools-only

compile: ## compile the core; fail rather than fall back to plain files
	@$(PREPARE) --require-compiled

run: setup ## the tour: a queue manager, applications, the pipeline, a page to open
	$(COMPILED) $(PY) $(TOUR)
	@$(PREPARE) --left-out

test: export TERNMQ_LEFT_OUT := $(CURDIR)/$(LEFT_OUT)
test: forget-left-out test-plain test-spark test-compiled ## every test on plain files, then the core ones on the compiled build
	@$(PREPARE) --left-out

forget-left-out:
	@mkdir -p build && rm -f $(LEFT_OUT)

quick: tools ## tests of what changed since BASE=origin/main, by imports, and the battery's core: three minutes
	$(PLAIN) $(PY) -m tools.quick $(if $(BASE),--base $(BASE)) --processes $(N) $(ARGS)

# The walks are several times quicker on the compiled build, so they run there, where there is one.
CAN_COMPILE := $(shell $(PYTHON) tools/prepare.py --can-compile && echo yes)
SPARED := $(if $(CAN_COMPILE), and not walk)

test-plain: tools ## every test on plain files (ARGS='-k name' narrows it), but walks and those of Spark
	$(PLAIN) $(PYTEST) -m "not spark$(SPARED)" $(ARGS)

# Apart from the others and in one process: one Java lives, and has both processors. 5: none chosen.
test-spark: tools ## the tests that run Spark, on plain files
	$(PLAIN) $(PY) -m pytest -m spark $(ARGS) || [ $$? -eq 5 ]

test-compiled: setup ## the tests marked core on the compiled build
	@if [ -n "$(CAN_COMPILE)" ] || $(PREPARE) --can-compile; then \
		echo '$(COMPILED) $(PYTEST) -m "(core or compiled) and not spark" $(ARGS)'; \
		$(COMPILED) $(PYTEST) -m "(core or compiled) and not spark" $(ARGS); \
	else echo "no C compiler or no Python headers on this machine: the compiled half is left out"; fi

crash: setup ## the walks of the proof at their long sizes (TIER=2 GOALS=G1,G2; POINT= one point again)
	$(COMPILED) $(PY) -m tests.proof.run $(if $(TIER),--tier $(TIER)) $(if $(GOALS),--goals $(GOALS)) \
		$(if $(POINT),--point $(POINT)) --jobs $(N) $(ARGS)

sim: setup ## simulated worlds and walks over the model (SEEDS=5000 of each)
	$(COMPILED) $(PY) -m tests.proof.run --goals SIM,G23 $(if $(SEEDS),--seeds $(SEEDS)) --jobs $(N) $(ARGS)

soak: setup ## the same work for MINUTES=30: memory, descriptors and threads stay as they are
	$(COMPILED) $(PY) -m tests.proof.soak --minutes $(if $(MINUTES),$(MINUTES),30) $(ARGS)

interop: setup ## IBM's Java client judges our server (docs/reference/interop.md); ARGS='--only TEXT --keep FOLDER'
	$(COMPILED) $(PY) -m tests.interop.run $(if $(ARGS),$(ARGS),--record)
	$(if $(ARGS),,$(COMPILED) $(PY) -m tests.interop.python_suites --record)
	@$(if $(ARGS),,$(PY) tools/generate_interop.py)

capture: setup ## record both ends of message channels (RELAY='1415=mq.example.com(1414)'; without it, two of ours) into build/capture
	$(COMPILED) $(PY) -m tests.interop.channel_capture $(if $(RELAY),'$(RELAY)') $(ARGS)

judges: ## as root on Debian: install what make interop needs (JDK, Maven) and tshark
	apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install -y default-jdk-headless maven tshark openssl

smf-judge: tools ## mq-smf-csv compares our reading of SMF records (PROGRAM=its executable DUMPS='files')
	$(PLAIN) $(PY) -m tests.interop.smf_judge $(PROGRAM) $(DUMPS)

fuzz: setup ## spoiled frames, dialogues, selectors and folders, for long (G10, PROPS; TIER=2)
	$(COMPILED) $(PY) -m tests.proof.run --goals G10,PROPS --tier $(if $(TIER),$(TIER),2) --jobs $(N) $(ARGS)

every-byte: tools ## a partner of a channel that dies at every byte of every flow, for a minute or two
	EVERY_BYTE=1 $(PLAIN) $(PYTEST) tests/unit/network/channels/test_every_byte.py $(ARGS)

broken-lines: setup ## connections that break at every segment, for long (NET; TIER=2)
	$(COMPILED) $(PY) -m tests.proof.run --goals NET --tier $(if $(TIER),$(TIER),2) --jobs $(N) $(ARGS)

fire: setup ## kill drivers and workers of Spark N=50 times, and count messages (docs/spark/spark-sink.md); ARGS='--seed 2'
	$(COMPILED) $(PY) -m tests.fire.run --kills $(if $(filter command line,$(origin N)),$(N),50) --record $(ARGS)

fire-cluster: setup ## kill executors and workers of a standalone cluster of Spark, and count messages (docs/spark/spark-sink.md)
	$(COMPILED) $(PY) -m tests.fire.cluster --record $(ARGS)

cluster: tools ## the pipeline on a standalone cluster of Spark: the same tables as on local[*] (docs/spark/pipeline.md)
	$(PLAIN) $(PY) -m tests.cluster $(ARGS)

bare: ## as root on Debian: make run and make test as an ordinary user of minimal Debian systems (docs/internals/bare-machine.md)
	$(PYTHON) tools/bare.py $(ARGS)
	@$(PYTHON) tools/generate_bare.py

canaries: tools ## plant faults into copies of the source: each must be found by its test
	$(PLAIN) CANARIES=all $(PYTEST) tests/canaries $(ARGS)

check: tools ## format, lint, types, layers, spelling, tidy, generated files, the site
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/ruff check .
	$(PY) -m mypy $(wildcard src tests tools benchmarks examples)
	$(PY) -m tools.layers lint
	$(PLAIN) $(PY) -m pytest -q tests/tidy
	$(VENV)/bin/codespell
	@$(MAKE) --no-print-directory generated
	$(PY) tools/build_site.py --check

generated: tools ## generated files match their generators
	$(PY) -m tools.layers docs --check
	@set -e; for generator in tools/generate_*.py; do \
		[ -e "$$generator" ] || continue; echo "$(PY) $$generator --check"; \
		PYTHONPATH=src $(PY) "$$generator" --check; done

docs: tools ## the pages as a site that opens offline, with search and an API reference: build/site
	$(PY) tools/build_site.py

format: tools ## rewrite the sources in the house format
	$(VENV)/bin/ruff check --fix-only --quiet .
	$(VENV)/bin/ruff format .

bench: setup ## benchmarks, compiled and plain side by side
	$(COMPILED) $(PY) benchmarks/run.py $(ARGS)

wheel: tools ## build the wheel into dist/
	@mkdir -p dist && cp "$$($(PY) tools/build_wheel.py)" dist/ && ls dist

clean: ## remove what the targets made, but not the cache of wheels
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
