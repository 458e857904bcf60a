"""The command as a process of its own: Ctrl-C, pipes that close, exit codes."""

import io
import json
import os
import signal
import subprocess
import sys

import pytest

import oddlearn
from oddlearn.cli.main import main
from tests.cli.commands import QUICK, as_text, people, run

COMMAND = [sys.executable, "-m", "oddlearn"]

# runs a command as a terminal would, where Ctrl-C is heard; a shell may have told its jobs to ignore it
HEARING = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from oddlearn.cli.main import main
sys.exit(main(sys.argv[1:]))
"""

EMPTY_INPUT = (
    "oddlearn: standard input is empty: give a file with a line of column names and rows below it.\n"
)

needs_signals = pytest.mark.skipif(sys.platform == "win32", reason="Windows has other signals")


@needs_signals
def test_ctrl_c_keeps_the_best_model_and_writes_it(tmp_path):
    data = tmp_path / "people.csv"
    data.write_text(as_text(people(400)))
    arguments = [
        "fit",
        data,
        "--target",
        "owner",
        "--alpha",
        "0",
        "--time-limit",
        "none",
        "--output",
        tmp_path,
        "--json",
    ]
    fit = subprocess.Popen(
        [sys.executable, "-c", HEARING, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    for line in fit.stderr:
        if "objective" in line:
            break
    os.killpg(fit.pid, signal.SIGINT)  # as a terminal does: solvers are told, too
    out, err = fit.communicate(timeout=60)
    assert fit.returncode == 0
    assert "Interrupted: the best diagram so far is written" in err
    assert "Traceback" not in err
    told = json.loads(out)
    assert told["interrupted"] is True
    assert oddlearn.load(tmp_path / "model.json").objective_ == told["objective"]
    assert (tmp_path / "report.html").exists()


def test_ctrl_c_before_there_is_a_model_ends_with_130(capsys, monkeypatch):
    def interrupt(asked):
        raise KeyboardInterrupt

    monkeypatch.setattr("oddlearn.cli.solvers.run", interrupt)
    assert run(capsys, "solvers") == (130, "", "oddlearn: interrupted; no file was left half-written.\n")


@needs_signals
def test_a_closed_pipe_ends_the_command_quietly(trained):
    model, data = trained / "model.json", trained / "people.csv"
    reading = [*COMMAND, "predict", str(model), str(data)]
    head, tail = os.pipe()
    os.close(head)
    done = subprocess.run(reading, stdout=tail, stderr=subprocess.PIPE, text=True, timeout=60, check=False)
    os.close(tail)
    assert done.returncode == 141
    assert done.stderr.startswith("Accuracy: ")
    assert done.stderr.splitlines()[-1].startswith("recall of yes")


# None in sys.modules would not do: scikit-learn takes what is there for the package
WITHOUT_FRAMES = """
import sys
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("pandas", "pyarrow", "polars"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Absent())
"""


def test_a_table_with_text_is_fitted_where_pandas_is_not_installed(tmp_path, table):
    script = WITHOUT_FRAMES + HEARING.strip()
    arguments = ["fit", table, "--target", "approved", "--output", tmp_path, *QUICK]
    command = [sys.executable, "-c", script, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "colour" in done.stdout


def test_standard_input_is_read(capsys, monkeypatch, trained):
    model = trained / "model.json"
    from_file = run(capsys, "predict", model, trained / "people.csv")
    for content, expected in (((trained / "people.csv").read_bytes(), from_file), (b"", None)):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
        told = run(capsys, "predict", model, "-")
        assert told == (expected or (2, "", EMPTY_INPUT))


def test_the_process_ends_with_the_exit_code_of_the_command():
    done = subprocess.run([*COMMAND, "show", "absent.json"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, "oddlearn: There is no file absent.json.\n")


def test_a_terminal_without_the_characters_of_the_data_gets_escapes(monkeypatch, tmp_path):
    (tmp_path / "data.csv").write_text("größe,y\n1,klein\n2,groß\n", encoding="utf-8")
    screen = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(screen, encoding="ascii"))
    data = str(tmp_path / "data.csv")
    assert main(["fit", data, "--target", "y", "--output", str(tmp_path), *QUICK]) == 0
    assert b"gr\\xf6\\xdfe >= 1.5" in screen.getvalue()


def test_an_error_of_our_own_is_not_hidden(monkeypatch):
    def fail(asked):
        raise RuntimeError("broken")

    monkeypatch.setattr("oddlearn.cli.solvers.run", fail)
    with pytest.raises(RuntimeError, match="broken"):
        main(["solvers"])


@pytest.mark.parametrize("command", ["fit", "tune", "predict", "show", "export", "verify", "demo", "solvers"])
def test_help_teaches_by_examples(capsys, command):
    with pytest.raises(SystemExit) as ended:
        run(capsys, command, "--help")
    assert ended.value.code == 0
    told = capsys.readouterr().out
    assert told.startswith(f"usage: oddlearn {command} ")
    assert f"examples:\n  oddlearn {command}" in told


@needs_signals
def test_standard_streams_that_are_closed_do_no_harm(trained):
    model, data = trained / "model.json", trained / "people.csv"
    shell = f"exec {sys.executable} -m oddlearn"
    done = subprocess.run(
        f"{shell} predict {model} {data} >&-", shell=True, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0 and "Traceback" not in done.stderr
    done = subprocess.run(
        f"{shell} predict {model} - <&-", shell=True, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (2, EMPTY_INPUT)
    done = subprocess.run(
        f"{shell} predict {model} {data} 2>&-", shell=True, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0 and done.stdout.startswith("prediction\n")
