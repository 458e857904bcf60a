# Every target does its own set-up: Python, make and a C compiler are all that must be there.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
KERNELS := $(shell find oddlearn/kernels -name '*.pyx' -o -name '*.pxd' -o -name '*.h')

.PHONY: demo test lint clean

demo: $(READY)
	$(BIN)/python -m oddlearn demo

test: $(READY)
	$(BIN)/python -m pytest --numprocesses auto --maxprocesses 4 --dist worksteal

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/mypy

clean:
	rm -rf $(VENV) build *.egg-info
	find oddlearn/kernels -name '*.c' -delete -o -name '*.so' -delete

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(READY): $(BIN)/python pyproject.toml setup.py $(KERNELS)
	$(BIN)/python -m pip install --quiet "setuptools>=77" "Cython>=3" "numpy>=1.26" wheel
	$(BIN)/python -m pip install --quiet --no-build-isolation --editable ".[test,lint]"
	touch $(READY)
