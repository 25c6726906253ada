# SPDX-License-Identifier: MIT

"""Calls reductions by mpi4py, on 3 ranks. The test knows the inputs and results."""

import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD
mine = np.array([world.rank + 1.0, 10.0 * (world.rank + 1)])
total = np.empty(2)
world.Allreduce(mine, total)
world.Iallreduce(mine[:1], total[:1], op=MPI.MIN).Wait()
world.Reduce(mine[:1], total[:1], root=2)
