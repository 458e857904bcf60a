"""A fitted model in a notebook: its diagram, its accuracy and what is proved, as one piece of HTML."""

from __future__ import annotations

from html import escape
from typing import Any

from oddlearn.export.svg import scene_to_svg
from oddlearn.report.theme import DARK, LIGHT
from oddlearn.view.arc_flows import training_flows
from oddlearn.view.inputs import ModelView, model_view
from oddlearn.view.number_text import count_text, percentage_text, plural
from oddlearn.view.palette import ARC_GREY
from oddlearn.view.pictures import picture_scene

# colours of the notebook around it: JupyterLab, VS Code, the PyData theme of Sphinx
INHERITED = {
    "text": ("--jp-content-font-color1", "--vscode-editor-foreground", "--pst-color-text-base"),
    "muted": ("--jp-content-font-color2", "--vscode-descriptionForeground", "--pst-color-text-muted"),
    "card": ("--jp-layout-color2", "--vscode-editorWidget-background", "--pst-color-surface"),
}

STYLE = f"""
.odd-model{{font:14px/1.5 system-ui,sans-serif;color:var(--odd-text);max-width:100%}}
.odd-model p{{margin:4px 0}}
.odd-model svg{{display:block;max-width:100%;height:auto}}
.odd-model text{{font:13px system-ui,'Helvetica Neue',Arial,sans-serif;fill:var(--odd-text)}}
.odd-model .node .box{{fill:var(--odd-card);stroke:var(--odd-muted);stroke-width:1.2}}
.odd-model .spine{{fill:none;stroke:{ARC_GREY}}}
.odd-model .small,.odd-model .side{{font-size:11px;fill:var(--odd-muted)}}
.odd-model pre{{white-space:pre-wrap;margin:4px 0;color:inherit;background:none}}
.odd-model summary{{cursor:pointer;color:var(--odd-muted)}}
"""


def notebook_html(model: Any) -> str:  # noqa: ANN401
    """Return a fitted model as HTML that looks right in light and dark notebooks and needs no network."""
    view = model_view(model)
    svg = scene_to_svg(picture_scene(view, None), view.colours, is_file=False)
    proof = f"<p>{escape(view.certificate.summarise())}</p>" if view.certificate is not None else ""
    parameters = f"<details><summary>Parameters</summary><pre>{escape(repr(model))}</pre></details>"
    head = f"<p><strong>{escape(_size_text(view))}</strong>{escape(_accuracy_text(view))}</p>"
    return f'<style>{_style()}</style><div class="odd-model">{head}{proof}{svg}{parameters}</div>'


def _style() -> str:
    """Return the style sheet: colours of the surroundings, or else of the reader's own light or dark mode."""
    light, dark = (_variables(theme) for theme in (LIGHT, DARK))
    return (
        f".odd-model{{{light}}}@media (prefers-color-scheme:dark){{.odd-model{{{dark}}}}}{STYLE}"
        # JupyterLab tells its theme by an attribute
        f'[data-jp-theme-light="true"] .odd-model{{{light}}}'
        f'[data-jp-theme-light="false"] .odd-model{{{dark}}}'
    )


def _variables(theme: dict[str, str]) -> str:
    parts = []
    for name, sources in INHERITED.items():
        value = theme[name]
        for source in reversed(sources):
            value = f"var({source},{value})"
        parts.append(f"--odd-{name}:{value}")
    return ";".join(parts)


def _size_text(view: ModelView) -> str:
    if view.diagram.n_nodes == 0:
        label = view.metadata.class_labels[view.diagram.constant_class or 0]
        return f"A constant: predicts {label} for every row"
    shape = "Decision tree" if view.diagram.is_tree else "Decision diagram"
    return f"{shape}, {plural(view.diagram.n_nodes, 'node')}"


def _accuracy_text(view: ModelView) -> str:
    flows = training_flows(view.diagram, view.metadata)
    if not flows.total > 0:
        return ""
    correct = flows.correct(view.diagram)
    weighted = "weighted " if view.metadata.is_weighted else ""
    share = percentage_text(correct, flows.total)
    return f"; {weighted}training accuracy {share} ({count_text(correct)} of {count_text(flows.total)})"
