from oddlearn.constraints import DemographicParity as DemographicParity
from oddlearn.constraints import EqualizedOdds as EqualizedOdds
from oddlearn.constraints import EqualOpportunity as EqualOpportunity
from oddlearn.constraints import MaxDepth as MaxDepth
from oddlearn.constraints import MaxNodes as MaxNodes
from oddlearn.constraints import MaxNodesPerLayer as MaxNodesPerLayer
from oddlearn.constraints import MinFlow as MinFlow
from oddlearn.constraints import MinFlowPerArc as MinFlowPerArc
from oddlearn.constraints import OverallAccuracyEquality as OverallAccuracyEquality
from oddlearn.constraints import PredictiveEquality as PredictiveEquality
from oddlearn.diagram.diagram import DecisionDiagram as DecisionDiagram
from oddlearn.diagram.skeleton import Skeleton as Skeleton
from oddlearn.diagram.splits import MultivariateSplit as MultivariateSplit
from oddlearn.diagram.splits import UnivariateSplit as UnivariateSplit
from oddlearn.estimators import OptimalDecisionDiagramClassifier as OptimalDecisionDiagramClassifier
from oddlearn.estimators import OptimalDecisionTreeClassifier as OptimalDecisionTreeClassifier
from oddlearn.estimators import from_json as from_json
from oddlearn.estimators import load as load
from oddlearn.estimators.cross_validated import (
    OptimalDecisionDiagramClassifierCV as OptimalDecisionDiagramClassifierCV,
)
from oddlearn.estimators.verification import verify as verify
from oddlearn.export.certificate_plot import plot_certificate as plot_certificate
from oddlearn.export.code import export_c as export_c
from oddlearn.export.code import export_onnx as export_onnx
from oddlearn.export.code import export_python as export_python
from oddlearn.export.code import export_sklearn as export_sklearn
from oddlearn.export.code import export_sql as export_sql
from oddlearn.export.dot import export_dot as export_dot
from oddlearn.export.plane import export_plane as export_plane
from oddlearn.export.plots import plot_diagram as plot_diagram
from oddlearn.export.plots import plot_fragmentation as plot_fragmentation
from oddlearn.export.plots import plot_history as plot_history
from oddlearn.export.plots import plot_tuning as plot_tuning
from oddlearn.export.rules import export_rules as export_rules
from oddlearn.export.svg import export_svg as export_svg
from oddlearn.export.text import export_text as export_text
from oddlearn.fairness import accuracy_fairness_path as accuracy_fairness_path
from oddlearn.fairness import fairness_report as fairness_report
from oddlearn.problem.certificate import Certificate as Certificate
from oddlearn.report import export_html as export_html
from oddlearn.solve.branch_and_bound.solver import BranchAndBound as BranchAndBound
from oddlearn.solve.construct.solver import Construct as Construct
from oddlearn.solve.cpsat.solver import CpSat as CpSat
from oddlearn.solve.local_search.solver import LocalSearch as LocalSearch
from oddlearn.solve.milp.solver import Milp as Milp

__version__: str
