"""The paper's study: its trials, the store of their results, and the tables and figures made from them."""

from oddlearn.study.figures import draw_figures
from oddlearn.study.result_rows import write_csv
from oddlearn.study.result_store import ResultStore, read_results
from oddlearn.study.tables import build_tables
from oddlearn.study.trial import Outcome, Result, Trial
from oddlearn.study.trial_plan import Scope, plan_grid
from oddlearn.study.trial_runner import RunSummary, run_trials

__all__ = [
    "Outcome",
    "Result",
    "ResultStore",
    "RunSummary",
    "Scope",
    "Trial",
    "build_tables",
    "draw_figures",
    "plan_grid",
    "read_results",
    "run_trials",
    "write_csv",
]
