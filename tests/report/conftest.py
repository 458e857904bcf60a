"""A browser for the tests of the page: Debian's Chromium, driven by Playwright."""

import os
import shutil

import pytest

from oddlearn import export_html

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@pytest.fixture(scope="module")
def browser():
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="playwright is not installed: no browser test"
    )
    program = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    if program is None:
        pytest.skip(f"no browser found, looked for {', '.join(BROWSERS)}: install chromium to run this test")
    # the sandbox needs rights that root in a container does not have
    is_root = hasattr(os, "getuid") and os.getuid() == 0
    with playwright.sync_playwright() as driver:
        try:
            options = {"executable_path": program, "args": ["--no-sandbox"] if is_root else []}
            started = driver.chromium.launch(**options)
        except playwright.Error as problem:
            pytest.skip(f"{program} does not start: {problem.message.splitlines()[0]}")
        yield started
        started.close()


@pytest.fixture
def opened(browser, tmp_path):
    """Open the page of a model; afterwards nothing may have gone wrong or asked for the network."""
    contexts, wrong, asked = [], [], []

    def open_page(model, X=None, y=None, *, view=None, **options):
        path = export_html(model, tmp_path / "page.html", X, y, **options)
        contexts.append(browser.new_context(**(view or {"viewport": {"width": 1300, "height": 900}})))
        page = contexts[-1].new_page()
        page.set_default_timeout(20_000)
        page.on("console", lambda message: wrong.append(message.text) if message.type != "log" else None)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("dialog", lambda dialog: (wrong.append(dialog.message), dialog.dismiss()))
        page.on("request", lambda request: asked.append(request.url))
        page.goto(path.as_uri())
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert wrong == []
    assert all(url.startswith("file:") and url.endswith("page.html") for url in asked)
