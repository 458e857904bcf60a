# Every target does its own set-up: Python, make and a C compiler are all that must be there.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# installed with the packages that the demo needs, and with those of the tests
READY := $(VENV)/.ready
DOCS_READY := $(VENV)/.docs
TEST_READY := $(VENV)/.test-ready
# Python compiles a module at its first import: most modules of scipy and scikit-learn are never imported
INSTALL := $(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check
KERNELS := $(shell find oddlearn/kernels -name '*.pyx' -o -name '*.pxd' -o -name '*.h')
SANITIZED := build/sanitized
SANITIZERS := -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=undefined

.PHONY: demo test lint docs sanitize clean

demo: $(READY)
	$(BIN)/python -m oddlearn demo

test: $(TEST_READY)
	$(BIN)/python -m pytest --numprocesses auto --maxprocesses 4 --dist worksteal

lint: $(TEST_READY)
	$(BIN)/ruff check .
	$(BIN)/mypy

# the site, with every example run; a warning is an error. Once set up, it needs no network
docs: $(DOCS_READY)
	$(BIN)/python -m sphinx -W --keep-going --quiet -b html docs build/docs
	@echo "Open build/docs/index.html"

# kernels against their slow twins, in a copy built to stop at any access out of bounds and any undefined step
sanitize: $(TEST_READY)
	rm -rf $(SANITIZED) && mkdir -p $(SANITIZED)
	tar -c --exclude='*.c' --exclude='*.so' --exclude=__pycache__ oddlearn tests docs setup.py pyproject.toml README.md LICENSE \
		| tar -x -C $(SANITIZED)
	cd $(SANITIZED) && ODDLEARN_FLAGS="$(SANITIZERS)" $(abspath $(BIN))/python setup.py --quiet build_ext --inplace --parallel 2
	cd $(SANITIZED) && ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 \
		LD_PRELOAD="$$(cc -print-file-name=libasan.so) $$(cc -print-file-name=libstdc++.so)" \
		$(abspath $(BIN))/python -m pytest -p no:cacheprovider --capture=sys -k "not deadline" \
		$$(find tests -type d \( -name 'branch*' -o -name '*search' -o -name 'diagram' -o -name 'histogram' -o -name 'kernels' \))

clean:
	rm -rf $(VENV) build *.egg-info docs/gallery docs/api/generated docs/sg_execution_times.rst
	find oddlearn/kernels -name '*.c' -delete -o -name '*.so' -delete

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(READY): $(BIN)/python pyproject.toml setup.py $(KERNELS)
	$(INSTALL) "setuptools>=77" "Cython>=3.1" "numpy>=1.26"
	$(INSTALL) --no-build-isolation --editable .
	touch $(READY)

# the extras of what is installed: an editable install would compile all kernels again
$(DOCS_READY): $(READY)
	$(INSTALL) "oddlearn[docs]"
	touch $(DOCS_READY)

$(TEST_READY): $(READY)
	$(INSTALL) "oddlearn[test,lint]"
	touch $(TEST_READY)
