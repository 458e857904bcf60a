"""The table of formats: what is read by people is shown, what is run by programs is not."""

from oddlearn.export.formats import FORMATS


def test_code_is_what_other_programs_run():
    code = {name for name, known in FORMATS.items() if known.is_code}
    assert code == {"c", "onnx", "python", "sql"}
