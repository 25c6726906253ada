# SPDX-License-Identifier: MIT

"""Reveals the order of every all-reduce algorithm that an MPI library can be told to use.

usage: library_matrix.py BRACKET MPIEXEC NUMPROC_FLAG RANKS...

bracket itself compares 100 random sums of each vector with the order that it found, on all ranks, and
says that the order varies if one differs. This script also wants one of the orders that the library's
source has.
"""

import json
import os
import subprocess
import sys

OPEN_MPI = [
    # coll_tuned_allreduce_algorithm, and the orders of its source
    (1, {"linear"}),
    (2, {"binary", "linear", "pipeline", "chains", "binomial"}),  # reduce, then broadcast
    (3, {"recursive-doubling"}),
    (4, {"ring", "recursive-doubling"}),  # recursive doubling for few items
    (5, {"ring", "recursive-doubling"}),
    (6, {"recursive-doubling", "linear"}),  # linear for few items
]
MPICH = [
    # MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM
    ("auto", None),
    ("smp", {"recursive-doubling", "binomial"}),
    ("recursive_doubling", {"recursive-doubling"}),
    ("reduce_scatter_allgather", {"recursive-doubling"}),
]
# MPIR_CVAR_IALLREDUCE_INTRA_ALGORITHM, with the algorithm nb above; without sched_auto, with which
# MPICH 4.0 ends.
MPICH_NB = [
    ("sched_naive", {"recursive-doubling", "binomial"}),
    ("sched_smp", {"recursive-doubling", "binomial"}),
    ("sched_recursive_doubling", {"recursive-doubling"}),
    ("sched_reduce_scatter_allgather", {"recursive-doubling"}),
    ("tsp_recexch_single_buffer", {"recursive-doubling"}),
    ("tsp_recexch_multiple_buffer", {"recursive-doubling"}),
    ("tsp_tree", {"binary"}),
    ("tsp_ring", {"ring"}),
    ("tsp_recexch_reduce_scatter_recexch_allgatherv", {"recursive-doubling", "recursive-halving"}),
]
ITEMS = "1,7,300"


def cases(library):
    if "Open MPI" in library:
        for algorithm, orders in OPEN_MPI:
            for segment in ("0", "128"):
                yield (f"{algorithm}, segments of {segment} bytes", orders, {
                    "OMPI_MCA_coll_tuned_use_dynamic_rules": "1",
                    "OMPI_MCA_coll_tuned_allreduce_algorithm": str(algorithm),
                    "OMPI_MCA_coll_tuned_allreduce_algorithm_segmentsize": segment})
    else:
        usual = {"MPIR_CVAR_DEVICE_COLLECTIVES": "none", "MPIR_CVAR_COLLECTIVE_FALLBACK": "silent"}
        for algorithm, orders in MPICH:
            yield (algorithm, orders,
                   {**usual, "MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM": algorithm})
        for algorithm, orders in MPICH_NB:
            yield (algorithm, orders, {**usual, "MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM": "nb",
                                       "MPIR_CVAR_IALLREDUCE_INTRA_ALGORITHM": algorithm})


def revealed(launch, ranks, environment):
    command = [*launch, str(ranks), bracket, "reveal", "--items", ITEMS, "--checks", "100", "--json"]
    done = subprocess.run(command, env={**os.environ, **environment}, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{command}: {done.stderr}")
    return [json.loads(line) for line in done.stdout.splitlines()]


bracket, *launch = sys.argv[1:4]
counts = [int(word) for word in sys.argv[4:]]
library = revealed(launch, 2, {})[0]["library"]
faults = 0
for ranks in counts:
    for name, orders, environment in cases(library):
        for row in revealed(launch, ranks, environment):
            what = f"{library}, {name}, p = {ranks}, {row['items']} items"
            words = ", ".join(row["algorithms"]) or row["tree"] or "no tree"
            print(f"{what}: {words}; varies: {row['varies']}; {row['probes']} probes", flush=True)
            if {"run", "rank"} & set(row["varies"]) or row["tree"] is None:
                print(f"  fault: {what}: the order varies")
                faults += 1
            elif orders and not orders & set(row["algorithms"]):
                print(f"  fault: {what}: {orders} was expected")
                faults += 1
sys.exit(1 if faults else 0)
