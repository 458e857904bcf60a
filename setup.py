"""Compile every kernel of oddlearn/kernels; all other settings are in pyproject.toml."""

import os
import sys
from glob import glob

import numpy
from Cython.Build import cythonize
from setuptools import Extension, setup

# contraction off: a fused multiply-add would make a kernel's dot product differ from its numpy twin
FLAGS = ["/O2"] if sys.platform == "win32" else ["-O3", "-ffp-contract=off", "-fno-strict-aliasing"]
# more flags for compiler and linker, such as those of the sanitizers: see the Makefile
MORE_FLAGS = os.environ.get("ODDLEARN_FLAGS", "").split()

HEADERS = glob("oddlearn/kernels/**/*.h", recursive=True)


def kernels() -> list[Extension]:
    """One extension module per .pyx file."""
    return [
        Extension(
            path[: -len(".pyx")].replace("\\", "/").replace("/", "."),
            [path],
            depends=HEADERS,
            extra_compile_args=FLAGS + MORE_FLAGS,
            extra_link_args=MORE_FLAGS,
            include_dirs=[numpy.get_include()],
            define_macros=[("NPY_NO_DEPRECATED_API", "NPY_1_7_API_VERSION")],
        )
        for path in sorted(glob("oddlearn/kernels/**/*.pyx", recursive=True))
    ]


setup(ext_modules=cythonize(kernels(), language_level=3))
