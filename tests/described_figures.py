"""Pictures of matplotlib as text: sizes, titles, artists, legends."""

import numpy as np

MAX_POINTS = 24  # of a path of ours


def describe_points(points):
    """Return points as text; of outlines of letters, which change with matplotlib, the box in whole units."""
    points = np.asarray(points, dtype=float)
    if len(points) <= MAX_POINTS:
        return np.round(points, 3).tolist()
    return f"outline in {np.round([points.min(axis=0), points.max(axis=0)]).tolist()}"


def describe_artist(artist):
    """Return kind, place, text and colours of an artist."""
    words = [type(artist).__name__]
    if hasattr(artist, "get_text"):
        words += [repr(artist.get_text()), artist.get_ha(), artist.get_va(), f"{artist.get_fontsize():.3f}"]
        words += [np.round(artist.get_position(), 3).tolist()]
    elif hasattr(artist, "get_xydata"):
        words += [describe_points(artist.get_xydata()), artist.get_linestyle(), artist.get_marker()]
        words += [artist.get_color(), f"{artist.get_linewidth():.2f}"]
    elif words[0] == "PathCollection":
        words += [describe_points(artist.get_offsets()), np.round(artist.get_sizes(), 2).tolist()]
    elif hasattr(artist, "get_path"):
        words += [describe_points(artist.get_path().vertices)]
        words += [np.round(artist.get_extents().bounds, 2).tolist()] if words[0] == "Rectangle" else []
    for name in ("get_facecolor", "get_edgecolor"):
        words += [np.round(getattr(artist, name)(), 3).tolist()] if hasattr(artist, name) else []
    alpha = [] if artist.get_alpha() is None else ["alpha", artist.get_alpha()]
    return " ".join(map(str, [*words, *alpha, "z", artist.get_zorder()]))


def describe_axes(axes):
    """Return titles, limits, artists and legend of a picture, without the frame."""
    lines = [f"title {axes.get_title()!r}, labels {axes.get_xlabel()!r} {axes.get_ylabel()!r}"]
    lines += [f"limits {np.round([*axes.get_xlim(), *axes.get_ylim()], 3).tolist()} {axes.get_xscale()}"]
    drawn = [*axes.patches, *axes.collections, *axes.lines, *axes.texts]
    lines += [describe_artist(artist) for artist in drawn]
    legend = axes.get_legend()
    lines += [f"legend {text.get_text()!r}" for text in legend.get_texts()] if legend else []
    return "\n".join(lines)


def describe_frame(axes):
    """Return the marks, grid and frame of a picture."""
    marks = [mark.get_text() for mark in axes.get_xticklabels()]
    line = axes.get_xgridlines()[0]
    grid = (line.get_visible(), line.get_color(), line.get_linewidth())
    frame = [name for name, spine in axes.spines.items() if spine.get_visible()]
    return f"frame {axes.axison} {frame}, grid {grid} below {axes.get_axisbelow()}, marks {marks}"


def describe_figure(figure):
    """Return size, titles, legends and pictures of a figure."""
    lines = [f"figure {np.round(figure.get_size_inches(), 2).tolist()}"]
    lines += [f"{text.get_text()!r} {text.get_fontsize():g}" for text in figure.texts]
    for axes in figure.axes:
        lines += [describe_axes(axes), f"title {axes.title.get_fontsize():g}", describe_frame(axes)]
    legends = [figure.legends, *([axes.get_legend()] if axes.get_legend() else [] for axes in figure.axes)]
    for legend in (one for some in legends for one in some):
        texts = [(text.get_text(), text.get_fontsize()) for text in legend.get_texts()]
        layout = f"frame {legend.get_frame_on()}, place {legend._loc}, columns {legend._ncols}"
        lines += [f"legend {texts} {layout}"]
    return "\n".join(lines)
