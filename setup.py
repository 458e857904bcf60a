"""Compile every kernel of oddlearn/kernels; all other settings are in pyproject.toml."""

import multiprocessing
import os
from glob import glob

import numpy
from Cython.Build import cythonize
from setuptools import Extension, setup

FOLDER = "oddlearn/kernels"
# what Cython's memoryviews need, compiled once and not in each of the seven modules that take arrays:
# half of the compiler's work was for it
SHARED = "oddlearn.kernels.common.cython_utility"

# GCC or clang: see common/compiler.h. Contraction off: a fused multiply-add would make a kernel's dot product
# differ from its numpy twin. No debug symbols, whatever Python was built with: most of a module was symbols
FLAGS = ["-O3", "-g0", "-ffp-contract=off", "-fno-strict-aliasing"]
# more flags for compiler and linker, such as those of the sanitizers: see the Makefile
MORE_FLAGS = os.environ.get("ODDLEARN_FLAGS", "").split()

DIRECTIVES = {
    "language_level": 3,
    "boundscheck": False,
    "wraparound": False,
    "cdivision": True,
    "initializedcheck": False,
}


def find_kernel_files(ending: str) -> list[str]:
    """Return the files of all kernel folders with an ending, with forward slashes."""
    return sorted(path.replace("\\", "/") for path in glob(f"{FOLDER}/**/*.{ending}", recursive=True))


def find_headers(path: str) -> list[str]:
    """Return the headers a kernel may include: those of its own folder and of the common one."""
    folders = {os.path.dirname(path), f"{FOLDER}/common"}
    return [header for header in find_kernel_files("h") if os.path.dirname(header) in folders]


def describe_extension(path: str, flags: list[str]) -> Extension:
    """Return the extension module of a source file."""
    return Extension(
        os.path.splitext(path)[0].replace("/", "."),
        [path],
        depends=find_headers(path),
        extra_compile_args=flags + MORE_FLAGS,
        extra_link_args=MORE_FLAGS,
        include_dirs=[numpy.get_include(), FOLDER],
        define_macros=[("NPY_NO_DEPRECATED_API", "NPY_1_7_API_VERSION")],
    )


def list_extensions() -> list[Extension]:
    """Return the module that all share, the slowest to compile, and one extension module per .pyx file."""
    shared = describe_extension(SHARED.replace(".", "/") + ".c", ["-O1", "-g0"])
    return [shared, *(describe_extension(path, FLAGS) for path in find_kernel_files("pyx"))]


JOBS = os.cpu_count() or 1
# Cython's processes are forked: elsewhere they would import this file again
CYTHON_JOBS = JOBS if multiprocessing.get_start_method() == "fork" else 0

setup(
    ext_modules=cythonize(
        list_extensions(),
        compiler_directives=DIRECTIVES,
        nthreads=CYTHON_JOBS,
        shared_utility_qualified_name=SHARED,
    ),
    options={"build_ext": {"parallel": JOBS}},
)
