# wGNN Explorer. `make` alone lists the commands.
SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

PORT ?= 8501
WORKERS ?= 2
MINUTES ?= 60
VENV := .venv
PY := $(VENV)/bin/python
# One thread per process: several single-threaded processes beat threads that fight over cores.
ONE_THREAD := OMP_NUM_THREADS=1 MKL_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1

.PHONY: help app test crowd soak lint bench screenshots docs pins clean browser

help: ## List the commands
	@awk -F ':.*## ' '/^[a-z]+:.*## /{printf "  make %-12s %s\n", $$1, $$2}' Makefile

app: $(VENV)/.compiled ## Install what is needed and open the app on localhost (PORT=8501; TOKEN=1 on a shared machine)
	@echo "Looking for the Cora graph (at most 40 seconds) ..."
	@limit=$$(command -v timeout || command -v gtimeout || true); \
	if $${limit:+$$limit 40} $(PY) -m wgnn_core data get cora; then :; else \
	echo "Cora could not be fetched now; the app opens on the built-in graph 'digits'."; fi
	@exec $(PY) -m $(if $(TOKEN),wgnn_core app --token --port,streamlit run app.py --server.port) $(PORT)

test: lint browser ## Lint, type check and run every test
	$(ONE_THREAD) $(PY) -m pytest -n $(WORKERS) --dist worksteal -m "not browser" -rs
	$(ONE_THREAD) $(PY) -m pytest -m "browser and not crowd" -rs  # alone: it needs both cores

crowd: $(VENV)/.installed-dev browser ## Ten browser sessions at once (needs two idle cores)
	$(ONE_THREAD) $(PY) -m pytest -m crowd -rs -s

soak: $(VENV)/.installed-dev $(VENV)/.compiled browser ## An hour of mixed load while processes are killed (MINUTES=60); writes benchmarks/soak.json
	PYTHONPATH=. $(ONE_THREAD) $(PY) benchmarks/soak.py --minutes $(MINUTES)

lint: $(VENV)/.installed-dev ## ruff and mypy
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy

bench: $(VENV)/.installed-dev ## Measure speed (scripts benchmarks/bench_*.py)
	@scripts=$$(ls benchmarks/bench_*.py 2>/dev/null || true); \
	if [ -z "$$scripts" ]; then echo "There is no benchmarks/bench_*.py to run."; exit 1; fi; \
	for script in $$scripts; do PYTHONPATH=. $(PY) "$$script"; done

screenshots: $(VENV)/.installed-dev browser ## Write pictures of every page to docs/screenshots
	$(PY) -m pytest tests/browser/screenshots.py

pins: $(VENV)/.installed-dev $(VENV)/.installed-docs ## Write constraints.txt: every version that is installed here
	$(PY) scripts/pin.py

docs: $(VENV)/.installed-docs ## Build the documentation into build/docs, without a network
	$(PY) -m sphinx -W --keep-going -q -b html docs build/docs
	@echo "Open build/docs/index.html."

clean: ## Remove caches (the environment stays; delete .venv to start over)
	rm -rf .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -not -path './$(VENV)/*' -prune -exec rm -rf {} +

# The browser tests drive the system's Chromium. Without one they skip and say so.
browser: $(VENV)/.installed-dev
	@if command -v chromium chromium-browser google-chrome google-chrome-stable >/dev/null; then exit 0; fi; \
	root=""; if [ "$$(id -u)" != 0 ]; then root="sudo -n"; fi; \
	if command -v apt-get >/dev/null && $$root true 2>/dev/null; then \
	  echo "Installing Chromium for the browser tests ..."; \
	  if $$root apt-get -qq update >/dev/null && $$root env DEBIAN_FRONTEND=noninteractive \
	    apt-get -qq install -y --no-install-recommends chromium >/dev/null; then exit 0; fi; \
	fi; \
	echo "No Chromium was found or could be installed: the browser tests will be skipped."

$(PY):
	@python=""; \
	for name in python3.11 python3; do \
	  if $$name -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then python=$$name; break; fi; \
	done; \
	if [ -z "$$python" ]; then \
	  echo "Python 3.11 or newer is needed; found: $$(python3 --version 2>&1 || echo none)." >&2; exit 1; fi; \
	if ! $$python -c 'import venv, ensurepip' 2>/dev/null; then \
	  echo "$$python cannot make virtual environments; on Debian or Ubuntu: apt-get install python3-venv" >&2; exit 1; fi; \
	echo "Creating $(VENV) with $$($$python --version) ..."; \
	$$python -m venv $(VENV) || { rm -rf $(VENV); exit 1; }

# A stamp is newer than its requirements exactly when they are installed.
install = @echo "Installing $(1) (some minutes the first time) ..."; \
	$(PY) -m pip install --disable-pip-version-check --progress-bar off -r $(1) -c constraints.txt \
	| awk '/^Collecting /{print "  " $$2; fflush()} /^Successfully installed/{print "  done"}'

$(VENV)/.installed: requirements.txt constraints.txt | $(PY)
	$(call install,requirements.txt)
	@touch $@

# Kernels are kept compiled beside their source, so that the first visitor need not wait for them.
# A worker with nobody to serve compiles them and ends.
$(VENV)/.compiled: $(wildcard wgnn_core/replicas/*.py) | $(VENV)/.installed
	@echo "Compiling the kernels (the first time only) ..."
	@$(PY) -m wgnn_core.runs.worker </dev/null
	@touch $@

$(VENV)/.installed-dev: requirements.txt requirements-cluster.txt requirements-shared.txt requirements-dev.txt constraints.txt | $(PY)
	$(call install,requirements-dev.txt)
	@touch $@ $(VENV)/.installed

$(VENV)/.installed-docs: requirements.txt requirements-docs.txt constraints.txt | $(PY)
	$(call install,requirements-docs.txt)
	@touch $@ $(VENV)/.installed
