from xml.etree import ElementTree

from oddlearn import load
from oddlearn.cli import demo_models


def test_the_demo_writes_pictures_models_and_reports_and_ends_with_the_reports(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(demo_models, "SECONDS", 1.0)
    demo_models.run_demo(tmp_path / "demo")
    told = capsys.readouterr().out
    places = [tmp_path / "demo" / f"tumours_{split}" for split in demo_models.KINDS]
    for place in places:
        assert "<html" in place.with_suffix(".html").read_text(encoding="utf-8")
        ElementTree.parse(place.with_suffix(".svg"))
        assert load(place.with_suffix(".json")).certificate_.explain() in told
    assert [line.strip() for line in told.splitlines()[-2:]] == [f"{place}.html" for place in places]
    assert "Optimal among all diagrams" in told
