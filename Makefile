# Everything needs Python 3.11 or newer and make; the rest is installed into .venv from hashed locks.

.DEFAULT_GOAL := help
.PHONY: help setup up demo eval test lint format schema lock clean

# The first interpreter that is new enough; another one: make PYTHON=/path/to/python setup
PYTHON ?= $(shell for name in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$name -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$name && break; done)
VENV := .venv
PY := $(VENV)/bin/python
UV := $(VENV)/bin/uv
STAMP := $(VENV)/.installed
LOCKS := requirements-setup.lock requirements-dev.lock
COMPILE = $(UV) pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-emit-find-links --no-header
# uv installs in seconds what takes pip minutes. It honours the index that pip is configured for, as far as it knows
# one; whatever goes wrong with it, pip does the same from the same lock.
INSTALL_FAST = index=$$($(PY) -m pip config list 2>/dev/null | sed -n "s/^[^ ]*\.index-url='\(.*\)'$$/\1/p" | tail -n 1); \
	$(PY) -m pip install --quiet --no-compile --only-binary :all: --require-hashes --requirement requirements-setup.lock \
	&& UV_SYSTEM_CERTS=1 $(UV) pip install --quiet --python $(PY) $${index:+--default-index "$$index"} \
		--require-hashes --requirement requirements-dev.lock \
	&& $(UV) pip install --quiet --python $(PY) --offline --no-deps --no-build-isolation --editable .
SELDOM = /(boto3|botocore|huggingface_hub|litellm|mypy|mypyc|openai|pip|pkg_resources|setuptools)/
INSTALL_PLAIN = { $(PY) -m pip install --require-hashes --requirement requirements-dev.lock \
	&& $(PY) -m pip install --quiet --no-deps --editable .; }
# Options of the command that a target runs: make up ARGS="--home elsewhere"
ARGS ?=

help: ## list the targets
	@sed -n 's/^\([a-z]*\):[^#]*## \(.*\)/  make \1 - \2/p' $(MAKEFILE_LIST) | awk -F' - ' '{printf "%-14s %s\n", $$1, $$2}'

setup: $(STAMP) ## make the environment alone

up: $(STAMP) ## start everything in one home folder (.kapelle) and keep it running
	@exec $(PY) -m workers up $(ARGS)

demo: $(STAMP) ## play a story on a stack of its own and print what each step proves
	@exec $(PY) -m workers.demo $(ARGS)

test: $(STAMP) ## run all tests on real servers
	@exec $(PY) -m pytest --numprocesses auto --maxprocesses 4 --dist loadfile $(ARGS)

eval: $(STAMP) ## score search on the product's own set: words, vectors and both
	@exec $(PY) -m benchmarks.eval $(ARGS)

lint: $(STAMP) ## check style, types and the direction of imports
	$(VENV)/bin/ruff check
	$(VENV)/bin/ruff format --check
	$(VENV)/bin/mypy
	$(VENV)/bin/lint-imports

format: $(STAMP) ## put the code into shape
	$(VENV)/bin/ruff check --fix
	$(VENV)/bin/ruff format

schema: $(STAMP) ## write migrations/schema.sql from the migrations
	@exec $(PY) -m workers schema

lock: $(STAMP) ## write the locks anew from pyproject.toml (needs the network)
	$(COMPILE) pyproject.toml --output-file requirements.lock $(ARGS)
	$(COMPILE) pyproject.toml --extra dev --constraint requirements.lock --output-file requirements-dev.lock $(ARGS)
	$(COMPILE) requirements-setup.in --output-file requirements-setup.lock $(ARGS)

clean: ## remove the environment and caches; homes stay
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis

$(STAMP): $(LOCKS) pyproject.toml
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed; name one: make PYTHON=/path/to/python"; exit 1; }
	@echo "Setting up $(VENV)"
	@test -x $(PY) || $(PYTHON) -m venv $(VENV)
	@{ $(INSTALL_FAST); } || $(INSTALL_PLAIN)
	@# Some machines forbid Python to write bytecode as it goes; then every start would compile everything again.
	@# What is large and seldom imported is left for its first use.
	@$(PY) -m compileall -q -j 0 -x '$(SELDOM)' $(VENV)/lib kapelle workflows activities workers >/dev/null || true
	@touch $(STAMP)
