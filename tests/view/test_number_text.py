from oddlearn.view.number_text import count_text, number_text, one_line, percentage_text, plural, share_text


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


def test_a_number_is_written_without_an_exponent_between_its_limits():
    numbers = (0.0, -0.0, 1.0, -2.5, 1e-5, 9e-6, 0.1, 999_999_999_999_999.0, 1e16, -1e16, 1e300)
    texts = ["0", "0", "1", "-2.5", "0.00001", "9e-06", "0.1", "999999999999999", "1e+16", "-1e+16", "1e+300"]
    assert [number_text(number) for number in numbers] == texts


def test_shares_at_the_limits_of_their_classes():
    assert [share_text(part, 200) for part in (1, 2, 3, 197, 198, 199)] == [
        "<1 %",
        "1 %",
        "2 %",
        "98 %",
        "99 %",
        ">99 %",
    ]
    assert [percentage_text(part) for part in (0.0, 0.5, 0.9994, 0.9996, 1.0)] == [
        "0.0 %",
        "50.0 %",
        "99.9 %",
        "> 99.9 %",
        "100.0 %",
    ]
    assert (percentage_text(1, 0), share_text(1, 0)) == ("–", "")
    assert [count_text(value) for value in (0.0, 1234.5678, 0.123456)] == ["0", "1,235", "0.1235"]
    assert [plural(count, "row") for count in (1000, -1)] == ["1,000 rows", "-1 rows"]
    assert one_line(" a\n  b\tc ") == "a b c"
