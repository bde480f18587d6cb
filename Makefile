# `make demo` and `make test` work in a clean clone. Both create the environment if it is missing: `make demo` without
# extras, so without torch, the others with all that tests need. pip downloads the packages, and nothing else is needed
# from outside.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
LIGHT := $(VENV)/.light
EXTRAS :=
CODE := corpora sieves indexing ensemble nlmchem tests benchmarks examples docs

.PHONY: demo test quick check coverage dist docs release release-files clean

demo: $(if $(wildcard $(READY)),$(READY),$(LIGHT))
	$(BIN)/nlmchem annotate examples --exclude '*/plugin/*' --out out --restart
	@printf '\nThe annotated articles are in out/. To go on, activate the environment, then try:\n\n'
	@printf '    %s\n' '. $(BIN)/activate' 'nlmchem view out/ -o report.html' 'nlmchem index out/' \
		'nlmchem annotate --text "Aspirin and NO."' 'nlmchem annotate YOUR_ARTICLES/ -o annotated/'

# These tests check time limits or kill runs at certain moments, so they run without other tests beside them.
ALONE := $(patsubst %,tests/faults/test_%.py,dask_cluster failure_limit kills resume workers) tests/test_startup.py

# In CI the slowest tests are listed.
DURATIONS := $(if $(CI),--durations=50,)

test: $(READY)
	$(BIN)/python -m pytest --numprocesses 2 --dist loadfile --no-loadscope-reorder $(DURATIONS) tests $(ALONE:%=--ignore=%)
	$(BIN)/python -m pytest $(DURATIONS) $(ALONE)

# What a change usually breaks, in less than 90 seconds.
QUICK := tests/corpora/commands tests/corpora/formats tests/nlmchem/api/test_loading.py tests/nlmchem/cli/test_groups.py \
	tests/nlmchem/cli/test_remedies.py tests/nlmchem/commands tests/nlmchem/run tests/nlmchem/steps tests/sieves \
	tests/test_imports.py tests/test_messages.py tests/test_public_names.py

quick: $(READY)
	$(BIN)/ruff check $(CODE)
	$(BIN)/python -m pytest --numprocesses 2 --dist loadfile --quiet -m 'not slow and not realdata' $(QUICK)

# Reported, not required: how much of the packages the tests run.
coverage: $(READY)
	$(BIN)/python -m pytest --numprocesses 2 --dist loadfile --no-loadscope-reorder --quiet tests $(ALONE:%=--ignore=%) \
		--cov corpora --cov sieves --cov indexing --cov ensemble --cov nlmchem --cov-report term:skip-covered

check: $(READY)
	$(BIN)/ruff check $(CODE)
	$(BIN)/ruff format --check $(CODE)
	$(BIN)/mypy
	$(BIN)/python -m benchmarks.release.words

# The wheel and the source archive, checked outside the checkout.
dist: $(READY)
	$(BIN)/python -m benchmarks.release.packages --out dist

# The documentation site, in build/docs. Fails on warnings and broken links.
docs:
	@echo 'This takes some minutes: the pages are made, and before the first time the environment $(VENV), with packages that pip downloads.'
	@$(MAKE) --no-print-directory $(READY)
	$(BIN)/python -c 'import furo, ipykernel, myst_parser, nbclient' 2> /dev/null || \
		$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[docs]'
	$(BIN)/python -m benchmarks.release.site --out build/docs

# Checks everything and sets the tag. For a tag, .github/workflows/release.yml makes the files of the release.
ifeq ($(filter release,$(MAKECMDGOALS))$(VERSION),release)
$(error use: make release VERSION=0.2.0)
endif
release: $(READY)
	$(BIN)/python -m benchmarks.release.release $(VERSION) --check
	$(MAKE) check test docs dist
	$(BIN)/python -m benchmarks.release.release $(VERSION) --tag

# Checks the source archive and the wheels of cibuildwheel in dist/, and adds checksums, contents and components.
release-files: $(READY)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[release]'
	$(BIN)/twine check --strict dist/nlmchem-*.whl dist/nlmchem-*.tar.gz
	$(BIN)/check-wheel-contents --toplevel corpora,sieves,indexing,ensemble,nlmchem dist/nlmchem-*.whl
	$(BIN)/pyroma --min 10 .
	$(BIN)/python -m benchmarks.release.release - --files

$(READY): EXTRAS := [test]
$(READY) $(LIGHT): pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "nlmchem needs Python 3.11 or newer; set PYTHON=...")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.$(EXTRAS)'
	touch $@

clean:
	rm -rf $(VENV) out build dist *.egg-info
