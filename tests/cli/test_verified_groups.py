"""``oddlearn verify`` of a model with constraints: groups are given where one of them compares groups."""

import pytest

from tests.cli.commands import NAMES, QUICK, as_text, people, run


@pytest.mark.parametrize("limit", [(), ("--max-nodes", "3")])
@pytest.mark.parametrize("parity", [(), ("--parity", "0.5")])
def test_a_model_with_any_constraints_is_verified(capsys, tmp_path, limit, parity):
    rows = [[*row, "ab"[place % 2]] for place, row in enumerate(people())]
    data = tmp_path / "data.csv"
    data.write_text(as_text(rows, names=(*NAMES, "group")))
    options = ("--target", "approved", "--sensitive", "group", "--output", tmp_path, "--no-report", *QUICK)
    assert run(capsys, "fit", data, *options, *limit, *parity)[0] == 0
    code, out, err = run(capsys, "verify", tmp_path / "model.json", data)
    assert (code, err) == (0, "")
    assert out.startswith("Verified on ")
