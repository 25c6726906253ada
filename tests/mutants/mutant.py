# SPDX-License-Identifier: MIT

"""What a mutant is, and the tests that must see it. The README describes the columns."""

from typing import NamedTuple, Tuple


class Mutant(NamedTuple):
    name: str
    file: str
    old: str  # occurs once in the file
    new: str
    targets: Tuple[str, ...]  # what to build again
    tests: str  # for ctest --tests-regex


KERNELS = (("test_kernels", "kernels_unoptimised"), "^kernels:")
UNITS = (("test_runtime_units",), "^runtime_units:")
RUNTIME = (("test_runtime",), "^runtime on 3 ranks$")
REDUCER = (("test_reducer",), "^reducer on 3 ranks$")
ACCUMULATOR = (("test_accumulator",), "^accumulator on 3 ranks$")
LOGGOPS = (("test_loggops",), "^loggops:")
SIMULATOR = (("test_simulator",), "^simulator:flows")
VIZ = (("test_viz",), "^viz:")
RECORD = (("test_record",), "^record:")
RECORDED = (("bracket_recorder", "test_tools_mpi"), "^tools_mpi:record")


def model(tests):
    """Tests of the model whose names contain one of the words."""
    return ("test_model",), f"^model:.*({tests})"


def tools(tests):
    """Tests of the command line whose names contain one of the words."""
    return ("test_tools",), f"^tools:.*({tests})"


ORDERS = model("bracket|frontier|chunk")
DISTRIBUTIONS = model("remainder|power2|optimized|distribution")
PLANS = model("every plan|halving|a vector|blocks")
