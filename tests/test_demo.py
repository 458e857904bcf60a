from xml.etree import ElementTree

from oddlearn import demo, load


def test_the_demo_writes_pictures_and_models_that_can_be_read(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(demo, "SECONDS", 1.0)
    demo.main()
    told = capsys.readouterr().out
    for split in demo.KINDS:
        assert f"tumours_{split}.svg" in told
        ElementTree.parse(tmp_path / "demo" / f"tumours_{split}.svg")
        assert load(tmp_path / "demo" / f"tumours_{split}.json").n_nodes_ >= 1
    assert "Optimal among all diagrams" in told
