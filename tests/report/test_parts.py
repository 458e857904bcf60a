from itertools import combinations

import numpy as np
import pytest

from oddlearn.diagram import DecisionDiagram, MultivariateSplit, Notes, UnivariateSplit
from oddlearn.export.lettering import text_width
from oddlearn.report.fairness import group_rates, named_groups
from oddlearn.report.flows import flows_of
from oddlearn.report.numbers import amount, percentage, share_text
from oddlearn.report.palette import COLOURS, DARK, LIGHT, contrast, ink
from oddlearn.report.questions import FONT_SIZE, SHOWN_TERMS, questions_of
from oddlearn.report.samples import samples_of
from oddlearn.report.scene import SMALL_SIZE, arc_label, scene_of
from tests.diagram.drawings import crossed
from tests.report.pages import drawn, noted


def counted_slowly(diagram, X, codes):
    """Count the samples of each class on each arc, one by one."""
    counts = np.zeros((diagram.n_arcs, diagram.n_classes))
    for row, code in zip(X, codes, strict=True):
        place = 0
        while place < diagram.n_nodes:
            side = int(diagram.splits[place].side(row[None])[0])
            counts[2 * place + side, code] += 1
            place = int((diagram.negative, diagram.positive)[side][place])
    return counts


@pytest.mark.parametrize("seed", range(3))
def test_flows_of_samples_are_those_counted_one_by_one(seed):
    diagram, notes, X, y = drawn(seed)
    codes = [notes.class_labels.index(label) for label in y]
    samples = samples_of(diagram, notes.class_labels, X, y, [""] * len(X))
    flows = flows_of(diagram, notes, samples)
    assert np.array_equal(flows.arcs, counted_slowly(diagram, X, codes))
    assert flows.total == len(X)
    assert np.array_equal(flows_of(diagram, notes, None).arcs, flows.arcs)
    assert flows.unit == "training samples"


def test_without_labels_the_flow_is_one_strand():
    diagram, notes, X, _ = drawn(0)
    flows = flows_of(diagram, notes, samples_of(diagram, notes.class_labels, X, None, [""] * len(X)))
    assert flows.arcs.shape == (diagram.n_arcs, 1)
    assert not flows.has_classes
    assert flows.nodes[0].sum() == len(X)


def test_notes_of_final_arcs_alone_leave_arcs_to_shared_nodes_unknown():
    # node 3 is shared: arcs 2 (from node 1) and 5 (from node 2)
    weights = np.array([[0, 0], [0, 0], [0, 0], [1, 4], [5, 0], [0, 0], [2, 1], [0, 3]])
    flows = flows_of(crossed(), Notes(None, ("a", "b"), weights), None)
    assert np.flatnonzero(np.isnan(flows.arcs).any(axis=1)).tolist() == [0, 1, 2, 5]
    assert flows.nodes[3].tolist() == [2, 4]
    assert flows.nodes[0].tolist() == [8, 8]
    assert flows.total == 16


def overlap(one, other):
    """Return True when two rectangles (x, y, width, height) share a point."""
    (x, y, width, height), (u, v, breadth, tallness) = one, other
    return x < u + breadth and u < x + width and y < v + tallness and v < y + height


@pytest.mark.parametrize("names", [None, ("a", "an income after tax and rent", "W" * 60, "名前" * 20)])
@pytest.mark.parametrize("seed", range(5))
def test_no_boxes_or_labels_overlap_and_all_are_inside(seed, names):
    diagram, notes, X, y = drawn(seed, names=names)
    samples = samples_of(diagram, notes.class_labels, X, y, [""] * len(X))
    flows = flows_of(diagram, notes, samples)
    ends = [("a class", "100 of 100 right")] * int((diagram.arc_class >= 0).sum())
    scene = scene_of(diagram, questions_of(diagram, notes, X), ends, flows)
    taken = [(box.x - box.width / 2, box.y, box.width, box.height) for box in scene.boxes]
    for ribbon in scene.ribbons:
        width = text_width(arc_label(flows, ribbon.arc), SMALL_SIZE)
        edge = ribbon.width / 2 + 6
        x = ribbon.x + edge if ribbon.arc % 2 else ribbon.x - edge - width
        taken.append((x, ribbon.y + 4, width, 14))
    assert not any(overlap(one, other) for one, other in combinations(taken, 2))
    assert all(x >= 0 and x + width <= scene.width for x, _, width, _ in taken)
    assert all(y >= 0 and y + height <= scene.height for _, y, _, height in taken)


def test_ribbons_are_as_wide_as_their_share():
    diagram, notes, X, y = drawn(3)
    flows = flows_of(diagram, notes, samples_of(diagram, notes.class_labels, X, y, [""] * len(X)))
    ends = [("c", "")] * int((diagram.arc_class >= 0).sum())
    scene = scene_of(diagram, questions_of(diagram, notes, X), ends, flows)
    shares = {ribbon.arc: flows.arcs[ribbon.arc].sum() / len(X) for ribbon in scene.ribbons}
    for ribbon in scene.ribbons:
        wanted = 46 * shares[ribbon.arc]
        assert ribbon.width == pytest.approx(max(1.5, wanted) if wanted else 0)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_text_can_be_read_on_every_ground_of_both_themes(theme):
    for ground in ("paper", "card"):
        for text in ("ink", "soft", "accent", "good", "bad", "open"):
            assert contrast(theme[text], theme[ground]) >= 4.5, (text, ground)
        assert contrast(theme["edge"], theme[ground]) >= 3
    # the words of the main button stand on the accent
    assert contrast(theme["paper"], theme["accent"]) >= 4.5


@pytest.mark.parametrize("colour", COLOURS)
def test_class_colours_stand_out_on_both_papers_and_carry_text(colour):
    assert contrast(colour, LIGHT["paper"]) >= 3
    assert contrast(colour, DARK["paper"]) >= 3
    assert contrast(colour, ink(colour)) >= 4.5


def test_contrast_is_that_of_the_standard():
    assert contrast("#000000", "#ffffff") == 21
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


def test_a_long_sum_shows_its_first_terms_and_lists_all():
    random = np.random.default_rng(0)
    X = random.random((50, 30))
    split = MultivariateSplit(random.normal(size=30), 0.1)
    diagram = DecisionDiagram((split,), [1], [2], [0], 2, 30)
    notes = noted(diagram, X, diagram.predict(X), tuple(f"feature number {n}" for n in range(30)))
    question = questions_of(diagram, notes, X)[0]
    assert len(question.lines) == SHOWN_TERMS + 2
    assert "smaller terms" in question.lines[SHOWN_TERMS]
    assert len(question.terms) == 31
    sign = -1 if question.is_flipped else 1
    listed = {term.name: sign * float(term.exact) for term in question.terms[:-1]}
    assert listed == {f"feature number {n}": weight for n, weight in enumerate(split.weights)}
    assert float(question.terms[-1].exact.split()[1]) == sign * split.threshold
    assert question.is_rounded


def test_a_short_threshold_is_shown_as_it_is_and_a_long_one_shortened():
    X = np.array([[0.0], [1.0]])
    splits = (UnivariateSplit(0, 0.45), UnivariateSplit(0, 1 / 3))
    diagram = DecisionDiagram(splits, [1, 2], [3, 3], [0, 1], 2, 1)
    short, long = questions_of(diagram, noted(diagram, X, [0, 1], ("a",)), X)
    assert short.lines == ("a >= 0.45",)
    assert not short.is_rounded
    assert long.lines == ("a >= 0.3",)
    assert long.exact == ("a < 0.3333333333333333", "a >= 0.3333333333333333")


def test_a_long_name_is_cut_and_its_number_is_not():
    name = "the amount of a very long story that nobody can read to its end without falling asleep"
    diagram = DecisionDiagram((UnivariateSplit(0, 0.5),), [1], [2], [0], 2, 1)
    notes = Notes((name,), (0, 1), np.zeros((2, 2)))
    question = questions_of(diagram, notes, None)[0]
    assert question.lines[-1] == ">= 0.5"
    assert "…" in question.lines[-2]
    assert question.width <= text_width("W" * 40, FONT_SIZE)
    assert name in question.sides[1]


def test_group_rates_are_those_of_the_textbook():
    codes = np.array([1, 1, 0, 0, 1, 0, 0])
    predicted = np.array([1, 0, 1, 0, 1, 0, 0])
    first, second = group_rates(codes, predicted, ["f", "f", "f", "f", "m", "m", "m"], 1)
    assert (first.group, first.size, second.group, second.size) == ("f", 4, "m", 3)
    assert (first.error, first.selected, first.missed, first.mistaken) == (0.5, 0.5, 0.5, 0.5)
    assert (second.error, second.missed, second.mistaken) == (0.0, 0.0, 0.0)
    assert second.selected == pytest.approx(1 / 3)


def test_a_group_without_a_class_has_no_rate_of_it():
    rates = group_rates(np.array([0, 0]), np.array([0, 0]), ["a", "a"], 1)
    assert np.isnan(rates[0].missed)
    assert rates[0].mistaken == 0


def test_sensitive_features_come_as_a_column_a_frame_or_a_dict():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"sex": ["f", "m"], "old": [True, False]})
    wanted = {"sex": ["f", "m"], "old": ["True", "False"]}
    assert named_groups(frame, 2) == wanted
    assert named_groups({"sex": ["f", "m"], "old": [True, False]}, 2) == wanted
    assert named_groups(frame["sex"], 2) == {"sex": ["f", "m"]}
    assert named_groups(np.array(["f", "m"]), 2) == {"group": ["f", "m"]}


def test_numbers_never_round_to_nothing_or_to_everything():
    shares = [share_text(part, 1000) for part in (0, 1, 333, 999, 1000, float("nan"))]
    assert shares == ["0 %", "<1 %", "33 %", ">99 %", "100 %", ""]
    assert [percentage(part, 10_000) for part in (9_999, 10_000, 5)] == ["> 99.9 %", "100.0 %", "0.1 %"]
    assert percentage(0, 0) == "–"
    assert [amount(value) for value in (1234.0, 2.5, float("nan"))] == ["1,234", "2.5", ""]
