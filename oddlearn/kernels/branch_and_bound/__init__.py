"""The kernels of the exact search for trees and diagrams with univariate splits."""
