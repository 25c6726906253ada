# SPDX-License-Identifier: MIT

"""The mutants: faults that a careless change could make."""

from model_mutants import MODEL_MUTANTS
from runtime_mutants import RUNTIME_MUTANTS
from tools_mutants import TOOLS_MUTANTS

MUTANTS = MODEL_MUTANTS + RUNTIME_MUTANTS + TOOLS_MUTANTS
