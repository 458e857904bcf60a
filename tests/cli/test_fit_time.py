"""The time that a fit reports."""

import json
import time

from tests.cli.commands import QUICK, run


def test_the_seconds_are_a_part_of_those_of_the_command(capsys, table, tmp_path):
    started = time.perf_counter()
    arguments = ("--target", "approved", "--output", tmp_path, "--no-report", "--json", *QUICK)
    code, out, _ = run(capsys, "fit", table, *arguments)
    assert code == 0
    assert 0 < json.loads(out)["seconds"] <= time.perf_counter() - started + 0.001
