from oddlearn.view.number_text import count_text, percentage_text, plural, share_text


def test_a_share_is_never_rounded_to_nothing_or_to_everything():
    texts = [share_text(share) for share in (0.0, 0.001, 0.5, 0.999, 1.0)]
    assert texts == ["0 %", "<1 %", "50 %", ">99 %", "100 %"]


def test_numbers_never_round_to_nothing_or_to_everything():
    shares = [share_text(part, 1000) for part in (0, 1, 333, 999, 1000)]
    assert shares == ["0 %", "<1 %", "33 %", ">99 %", "100 %"]
    assert share_text(0, 0) == ""
    assert share_text(sum([0.1] * 10), 1.0) == "100 %"  # 0.9999999999999999
    assert [percentage_text(part, 10_000) for part in (9_999, 10_000, 5)] == ["> 99.9 %", "100.0 %", "0.1 %"]
    assert percentage_text(0, 0) == percentage_text(float("nan")) == "–"
    assert [count_text(value) for value in (1234.0, 2.5)] == ["1,234", "2.5"]


def test_one_has_no_plural():
    assert [plural(count, "node") for count in (0, 1, 2)] == ["0 nodes", "1 node", "2 nodes"]
