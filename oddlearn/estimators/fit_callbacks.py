"""Callbacks of scikit-learn 1.9 and later: a task per better diagram or bound; a callback may end the fit."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from importlib.util import find_spec
from typing import Any, TypeVar

from oddlearn.errors import UnsupportedError
from oddlearn.problem.events import Event, Improved, ProgressSnapshot
from oddlearn.solve.solver import Emit, ignore

Self = TypeVar("Self", bound="FitCallbacksMixin")

# names of the tasks under "fit"
DIAGRAM_TASK, BOUND_TASK = "better diagram", "better bound"


class FitCallbacksMixin:
    """``set_callbacks`` as scikit-learn's ``CallbackSupportMixin`` has it.

    The mixin itself is imported when callbacks are set: it loads rich, which a fit does not need.
    """

    def set_callbacks(self: Self, *callbacks: Any) -> Self:  # noqa: ANN401
        """Set callbacks of scikit-learn 1.9 or later, in place of those before; see ``fit``.

        Parameters
        ----------
        *callbacks : callback instances
            Such as ``sklearn.callback.ProgressBar()``, or objects with the same methods. They are called at
            every better diagram and bound. The keyword ``metadata`` of their hooks holds ``seconds``,
            ``objective``, ``lower_bound`` and ``n_nodes``; an ``on_fit_task_end`` that returns True ends the
            fit as Ctrl-C does, with the best diagram kept.
        """
        if find_spec("sklearn.callback") is None:
            raise UnsupportedError("Callbacks need scikit-learn 1.9 or later: upgrade it.")
        from sklearn.callback import CallbackSupportMixin

        CallbackSupportMixin.set_callbacks(self, *callbacks)
        return self


@contextmanager
def fit_task(estimator: Any, X: Any, y: Any, sample_weight: Any) -> Iterator[Emit]:  # noqa: ANN401
    """Yield a receiver of events that calls the callbacks of an estimator, if it has any, around a fit."""
    if not getattr(estimator, "_skl_callbacks", None):
        yield ignore
        return
    from sklearn.callback import CallbackSupportMixin, with_callbacks

    given = {} if sample_weight is None else {"sample_weight": sample_weight}
    task = {"estimator": estimator, "X": X, "y": y, "metadata": given}
    try:
        context = CallbackSupportMixin._init_callback_context(estimator, max_subtasks=None)
        context.call_on_fit_task_begin(**task)
        yield CallbackRunner(estimator, context)
        # no attributes to add: a copy of the estimator, fitted by now, is what ScoringMonitor scores
        context.call_on_fit_task_end(**task, reconstruction_attributes={})
    finally:
        with_callbacks(lambda fitted: None)(estimator)  # after its method, it tears the callbacks down


class CallbackRunner:
    """A receiver of events that calls the hooks of callbacks, and ends the fit when one returns True."""

    def __init__(self, estimator: Any, context: Any) -> None:  # noqa: ANN401
        self._estimator = estimator
        self._context = context
        self._snapshot = ProgressSnapshot()

    def __call__(self, event: Event) -> None:
        """Call the hooks with the snapshot after the event as ``metadata``."""
        self._snapshot = self._snapshot.after(event)
        name = DIAGRAM_TASK if isinstance(event, Improved) else BOUND_TASK
        task, given = self._context.subcontext(task_name=name), asdict(self._snapshot)
        task.call_on_fit_task_begin(estimator=self._estimator, metadata=given)
        if task.call_on_fit_task_end(estimator=self._estimator, metadata=given):
            raise KeyboardInterrupt  # as Ctrl-C: the loop keeps the best diagram and says so
