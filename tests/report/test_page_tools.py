"""What a reader does with the page: zoom, pick test rows, read details while scrolling, print."""

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from tests.report.pages import drawn

PHONE = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True}
FITS = """() => {
  const boxOf = (id) => document.getElementById(id).getBoundingClientRect();
  const [outer, inner] = [boxOf("canvas"), boxOf("diagram")];
  return inner.width <= outer.width + 1 && inner.height <= innerHeight;
}"""
AXE_SECONDS = 120


@pytest.mark.parametrize(("width", "height"), [(1280, 900), (1920, 1080), (390, 844)])
def test_the_diagram_fits_the_window_until_another_size_is_chosen(opened, width, height):
    diagram, metadata, X, y = drawn(4)
    page = opened(diagram, X, y, metadata=metadata, view={"viewport": {"width": width, "height": height}})
    assert page.evaluate(FITS)
    natural = page.evaluate("document.getElementById('diagram').viewBox.baseVal.width")
    page.locator("#actual").click()
    assert page.locator("#diagram").bounding_box()["width"] == pytest.approx(natural, abs=1)
    page.locator("#larger").click()
    assert page.locator("#diagram").bounding_box()["width"] == pytest.approx(1.25 * natural, abs=2)
    page.locator("#fit").click()
    assert page.evaluate(FITS)


def test_details_and_form_stay_in_view_while_scrolling(opened):
    diagram, metadata, X, y = drawn(4)
    page = opened(diagram, X, y, metadata=metadata, view={"viewport": {"width": 1280, "height": 500}})
    page.locator("#actual").click()
    page.locator('[data-node="0"]').click()
    page.evaluate("scrollTo(0, 300)")
    box = page.locator("#details").bounding_box()
    assert 0 <= box["y"] < 60


def test_on_a_phone_the_sheet_closes_when_a_sample_is_traced(opened):
    diagram, metadata, X, y = drawn(4)
    page = opened(diagram, X, y, metadata=metadata, view=PHONE)
    page.locator('[data-node="0"]').tap()
    assert page.locator("#details.open").count() == 1
    page.locator("#next").dispatch_event("click")
    assert page.locator("#details.open").count() == 0
    assert page.locator("#diagram.following").count() == 1


def test_test_rows_can_be_picked_and_filtered(opened):
    diagram, metadata, X, y = drawn(1)
    page = opened(diagram, X[:40], y[:40], metadata=metadata, X_test=X[40:90], y_test=y[40:90])
    assert page.locator("#row option").count() == 41
    page.locator('[name=set][value="testRows"]').check()
    assert page.locator("#row option").count() == 51
    predicted = np.array(metadata.class_labels)[diagram.predict(X[40:90])]
    page.locator("#wrong").check()
    assert page.locator("#row option").count() == 1 + (predicted != y[40:90]).sum()
    page.locator("#next").click()
    assert "Wrong: its class is" in page.locator("#result").inner_text()


def test_the_details_of_a_node_draw_its_values_and_its_threshold(opened):
    diagram, metadata, X, y = drawn(2, kind="univariate")
    page = opened(diagram, X, y, metadata=metadata)
    page.locator('[data-node="0"]').click()
    picture = page.locator("#details .histogram")
    assert picture.locator(".threshold").count() == 1 and picture.locator("rect").count() > 5
    values = X[:, diagram.splits[0].feature]
    line = float(picture.locator(".threshold").get_attribute("x1")) / 320
    low, high = (float(text) for text in picture.locator("text").all_text_contents())
    assert low + line * (high - low) == pytest.approx(diagram.splits[0].threshold, abs=1e-4)
    assert values.min() - 1e-4 <= low < high <= values.max() + 1e-4


def test_a_print_is_a_few_pages_of_paper(opened, tmp_path):
    diagram, metadata, X, y = drawn(4)
    page = opened(diagram, X, y, metadata=metadata)
    page.pdf(path=tmp_path / "page.pdf", format="A4", print_background=True)
    assert 1 <= (tmp_path / "page.pdf").read_bytes().count(b"/Type /Page\n") <= 3
    page.emulate_media(media="print")
    assert page.locator("button:visible, #form:visible, #zoom:visible, details:visible").count() == 0


@pytest.fixture(scope="session")
def axe(tmp_path_factory):
    """The script of axe-core, from npm."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("npm is not installed: no check by axe-core")
    folder = tmp_path_factory.mktemp("axe")
    command = [npm, "install", "--no-audit", "--no-fund", "--prefix", str(folder), "axe-core"]
    try:
        subprocess.run(command, check=True, capture_output=True, timeout=AXE_SECONDS)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
        pytest.skip("npm could not install axe-core: no check of accessibility")
    return Path(folder, "node_modules", "axe-core", "axe.min.js").read_text(encoding="utf-8")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_has_no_serious_finding(opened, axe, scheme):
    diagram, metadata, X, y = drawn(4)
    options = {"X_test": X[:30], "y_test": y[:30], "sensitive_features": {"group": y}}
    view = {"viewport": {"width": 1280, "height": 900}, "color_scheme": scheme, "bypass_csp": True}
    page = opened(diagram, X, y, metadata=metadata, view=view, **options)
    page.locator('[data-node="0"]').click()
    page.evaluate(axe)
    found = page.evaluate("async () => (await axe.run()).violations")
    serious = [one for one in found if one["impact"] in ("serious", "critical")]
    assert {one["id"]: one["nodes"][0]["html"] for one in serious} == {}
