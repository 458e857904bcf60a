from xml.etree import ElementTree

from oddlearn import load
from oddlearn.cli import demo
from oddlearn.cli.main import main


def test_the_demo_writes_pictures_models_and_reports_and_ends_with_the_reports(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(demo, "SECONDS", 1.0)
    assert main(["demo", "--output", str(tmp_path / "demo")]) == 0
    told = capsys.readouterr().out
    places = [tmp_path / "demo" / f"tumours_{split}" for split in demo.KINDS]
    for place in places:
        assert "<html" in place.with_suffix(".html").read_text(encoding="utf-8")
        ElementTree.parse(place.with_suffix(".svg"))
        assert load(place.with_suffix(".json")).certificate_.explain() in told
    assert [line.strip() for line in told.splitlines()[-2:]] == [f"{place}.html" for place in places]
    assert "roved optimal" in told


def test_the_folder_of_the_demo_is_made_with_its_parents_and_may_exist(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(demo, "fit_and_show", lambda split, folder: folder / split)
    folder = tmp_path / "deep" / "demo"
    for _ in range(2):
        assert main(["demo", "--output", str(folder)]) == 0
        assert folder.is_dir()
    assert str(folder / "multivariate") in capsys.readouterr().out
