"""What users see of three stored models, compared with stored files to the last character.

After a change of wording or drawing run the tests with ``ODDLEARN_UPDATE=1``, look at the difference
(``git diff tests/reference_outputs``) and commit it with the change. ``make_models.py`` makes the models.
"""

import json
import re
from pathlib import Path

import pytest

import oddlearn
from oddlearn.cli.main import main
from oddlearn.export.formats import FORMATS
from oddlearn.report.notebook import notebook_html
from oddlearn.report.page import html_page
from tests.described_figures import describe_axes
from tests.reference_outputs.make_models import TARGET
from tests.stored_texts import compare_text

HERE = Path(__file__).parent
FILES = HERE / "files"
MODELS = ("loans", "sums", "plane")
NO_FEATURES = ("region", "weight")  # columns of groups and weights
COMMAND_LINE_FIELDS = ("training_metadata", "training_metrics", "checksum")

pd = pytest.importorskip("pandas")


def compare(name, text):
    """Compare a text with the stored one.

    All files are called ``.txt``: they are no code of this project, whatever is in them.
    """
    compare_text(FILES / f"{name.removesuffix('.txt')}.txt", text.replace(oddlearn.__version__, "VERSION"))


def model_path(name):
    return FILES / f"{name}.json"


def read_table(name):
    """Return the features of a table, its labels and its groups."""
    table = pd.read_csv(FILES / f"{name}.csv", dtype={"phone": "boolean"})
    if "since" in table:
        table["since"] = pd.to_datetime(table["since"])
    groups = table[["region"]] if "region" in table else None
    return table.drop(columns=[TARGET, *NO_FEATURES], errors="ignore"), table[TARGET], groups


@pytest.fixture(params=MODELS)
def stored(request):
    """A stored model, its table and labels."""
    X, y, _ = read_table(request.param)
    return request.param, oddlearn.load(model_path(request.param)), X, y


@pytest.mark.parametrize("form", [name for name in FORMATS if name != "onnx"])
def test_exports(stored, form):
    name, model, X, _ = stored
    compare(f"{name}_{form}{FORMATS[form].suffix}", FORMATS[form].function(model))
    if not FORMATS[form].is_code:
        compare(f"{name}_{form}_rows{FORMATS[form].suffix}", FORMATS[form].function(model, None, X))


def strip_assets(page):
    """Return a page without its style sheet and scripts, a tag on each line."""
    assets = r"<style.*?</style>|<script(?! type=.application/json).*?</script>"
    page = re.sub(assets, "", page, flags=re.DOTALL)
    page = re.sub(r"sha256-[^'\"; ]+", "HASH", page)
    return re.sub(r">\s*<", ">\n<", page)


def test_pages(stored):
    name, model, X, y = stored
    _, _, groups = read_table(name)
    compare(f"{name}_page.html", strip_assets(html_page(model, X, y, sensitive_features=groups)))
    compare(f"{name}_plain_page.html", strip_assets(html_page(model)))
    compare(f"{name}_notebook.html", strip_assets(notebook_html(model)))


def test_pictures(stored):
    pytest.importorskip("matplotlib").use("agg")
    from matplotlib import pyplot as plt

    name, model, X, _ = stored
    for kind, draw in {
        "diagram": lambda: oddlearn.plot_diagram(model, X=X),
        "plain_diagram": lambda: oddlearn.plot_diagram(model),
        "certificate": lambda: oddlearn.plot_certificate(model),
        "history": lambda: oddlearn.plot_history(model),
    }.items():
        axes = draw()
        compare(f"{name}_{kind}_artists.txt", describe_axes(axes))
        plt.close("all")


def test_the_plane(stored):
    name, model, X, y = stored
    if name == "plane":
        compare("plane_plane.svg", oddlearn.export_plane(model, X, y))
        compare("plane_plane_rows.svg", oddlearn.export_plane(model, X))


COMMANDS = {
    "show": ["show", "{model}"],
    "rules": ["show", "{model}", "--rules"],
    "certificate": ["show", "{model}", "--certificate"],
    "verify": ["verify", "{model}", "{table}", "--target", TARGET],
    "predict": ["predict", "{model}", "{table}"],
    "probabilities": ["predict", "{model}", "{table}", "--proba"],
}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("name", MODELS)
def test_commands(name, command, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.chdir(FILES)
    words = [word.format(model=f"{name}.json", table=f"{name}.csv") for word in COMMANDS[command]]
    code = main(words)
    printed = capsys.readouterr()
    text = "\n".join(line.rstrip() for line in f"{printed.out}\n--\n{printed.err}\n--\n{code}".splitlines())
    compare(f"{name}_command_{command}.txt", re.sub(r"\d+(\.\d+)? m?s\b", "TIME", text))


def test_group_reports():
    X, y, groups = read_table("loans")
    predicted = oddlearn.load(model_path("loans")).predict(X)
    report = oddlearn.fairness_report(y, predicted, sensitive_features=groups)
    compare("loans_fairness.txt", str(report))
    compare("loans_comparisons.txt", report.comparisons_frame().to_string())


def test_model_files_come_back_as_they_were():
    for name in MODELS:
        expected = json.loads(model_path(name).read_text())
        found = json.loads(oddlearn.load(model_path(name)).to_json())
        for field in COMMAND_LINE_FIELDS:
            found.pop(field, None), expected.pop(field, None)
        assert found == expected
