"""Parameters and defaults of all public classes and functions, compared with a stored file."""

import inspect
import re
from pathlib import Path

import oddlearn
from tests.stored_texts import compare_text


def describe(name, value):
    """Return the names and defaults of the parameters of a function, or of a class and its methods."""
    lines = [f"{name}{list_parameters(value)}"]
    if inspect.isclass(value):
        methods = {own: getattr(value, own) for own in sorted(dir(value)) if not own.startswith("_")}
        ours = {own: one for own, one in methods.items() if is_ours(one)}
        lines += [f"  .{own}{list_parameters(one)}" for own, one in ours.items()]
    return "\n".join(lines)


def is_ours(value):
    return inspect.isroutine(value) and (getattr(value, "__module__", None) or "").startswith("oddlearn")


def list_parameters(value):
    signature = inspect.signature(value)
    bare = [one.replace(annotation=inspect.Parameter.empty) for one in signature.parameters.values()]
    text = str(signature.replace(parameters=bare, return_annotation=inspect.Signature.empty))
    return re.sub(r"<function (\w+) at \w+>", r"\1", text)


def test_public_parameters_and_defaults():
    public = {name: getattr(oddlearn, name) for name in sorted(oddlearn.__all__)}
    texts = [describe(name, value) for name, value in public.items() if callable(value)]
    compare_text(Path(__file__).with_name("public_signatures.txt"), "\n".join(texts))
