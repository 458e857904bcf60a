from collections import defaultdict
from statistics import fmean

from oddlearn.study.calibration import (
    GridSetting,
    calibrate,
    find_main_setting,
    find_step_one_objectives,
    select_main_results,
    task_key,
)
from oddlearn.study.paper_results import SKELETONS
from tests.study.examples import chance_grid, result


def only_choice(results, **given):
    (choice,) = calibrate(results, **given)
    return choice


def test_the_best_mean_on_the_validation_rows_is_chosen():
    unsteady = [result(seed=1, alpha=0.1, validation=1.0), result(seed=2, alpha=0.1, validation=0.2)]
    steady = [result(seed=seed, alpha=0.01, validation=0.7, test=0.1 * seed) for seed in (1, 2)]
    choice = only_choice(unsteady + steady)
    assert (choice.dataset, choice.split, choice.model) == ("iris", "univariate", "ODD")
    assert (choice.skeleton, choice.alpha) == ("1-2-4-8", 0.01)
    assert [one.trial.seed for one in choice.results] == [1, 2]
    assert choice.test == (0.1 + 0.2) / 2


def test_of_equal_accuracies_the_larger_alpha_wins_even_with_more_nodes():
    results = [result(alpha=0.5, n_nodes=9), result(alpha=0.1, n_nodes=1)]
    assert only_choice(results).alpha == 0.5


def test_of_equal_alphas_fewer_nodes_win_then_the_first_skeleton():
    few = result(skeleton="1-2-2-2-2-2-2-2", n_nodes=2)
    assert only_choice([result(n_nodes=3), few]).skeleton == "1-2-2-2-2-2-2-2"
    same = [result(skeleton=skeleton) for skeleton in reversed(SKELETONS)]
    assert only_choice(same).skeleton == "1-2-4-8"


def test_rounding_breaks_no_tie():
    # the sums of 0.1, 0.2, 0.3 and of 0.3, 0.2, 0.1 differ in their last digit
    values = [0.1, 0.2, 0.3]
    rising = [result(seed=1 + place, alpha=0.1, validation=values[place]) for place in range(3)]
    falling = [result(seed=3 - place, alpha=0.2, validation=values[place]) for place in range(3)]
    assert sum(values) > sum(reversed(values))
    assert only_choice(rising + falling).alpha == 0.2


def test_a_pair_that_lacks_seeds_is_not_compared():
    whole = [result(seed=seed, alpha=0.1, validation=0.5) for seed in (1, 2)]
    assert only_choice([*whole, result(seed=1, alpha=0.01, validation=0.9)]).alpha == 0.1


def test_only_the_grid_takes_part_in_the_choice():
    stray = {"alpha": 0.01, "validation": 0.99}
    others = [
        result(**stray, method="construct"),
        result(**stray, stability=0.1),
        result(**stray, target="corrected", dataset="monks1"),
        result(**stray | {"alpha": 0.3}),
        result(**stray, skeleton="1-2"),
        result(**stray, seconds=60.0),
    ]
    assert only_choice([result(), result(seed=2), *others]).alpha == 0.1


def test_corrected_targets_are_chosen_for_on_their_own():
    results = [result("monks1", alpha=0.1), result("monks1", alpha=0.2, target="corrected")]
    assert only_choice(results).alpha == 0.1
    assert only_choice(results, target="corrected").alpha == 0.2


def test_the_setting_with_most_trials_counts_and_the_shorter_of_equals():
    long = [result(seed=seed, seconds=60.0) for seed in (1, 2)]
    short = [result(seed=seed, seconds=1.0) for seed in (1, 2, 3)]
    assert find_main_setting(long + short) == GridSetting(1.0, "training")
    assert select_main_results(long + short) == short
    assert find_main_setting(long + short[:2]) == GridSetting(1.0, "training")
    assert find_main_setting([result(scaling="all")]) == GridSetting(1.0, "all")
    assert find_main_setting([]) is None


def test_step_one_is_found_by_its_task():
    steps = [result(method="construct", seconds=0.05, objective=0.4)]
    assert find_step_one_objectives([*steps, result()]) == {task_key(result().trial): 0.4}
    assert task_key(result(seed=2).trial) not in find_step_one_objectives(steps)


def test_choices_agree_with_a_slow_search():
    results = chance_grid(["iris", "wine"], kept=0.9)
    pairs = defaultdict(lambda: defaultdict(list))
    for one in results:
        trial = one.trial
        pairs[trial.dataset, trial.split, trial.model][trial.skeleton, trial.alpha].append(one)
    choices = calibrate(results)
    assert [choice.subject for choice in choices] == sorted(pairs)
    for choice in choices:
        ran = pairs[choice.subject]
        most = max(map(len, ran.values()))
        rivals = {pair: some for pair, some in ran.items() if len(some) == most}
        best = max(round(fmean(one.outcome.validation for one in some), 9) for some in rivals.values())
        mine = rivals[choice.skeleton, choice.alpha]
        assert round(fmean(one.outcome.validation for one in mine), 9) == best
        assert sorted(one.trial.seed for one in mine) == [one.trial.seed for one in choice.results]
        for (_, alpha), some in rivals.items():
            if round(fmean(one.outcome.validation for one in some), 9) == best:
                assert alpha <= choice.alpha
