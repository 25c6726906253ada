# SPDX-License-Identifier: MIT

"""Operators of Python programs."""

from __future__ import annotations

from typing import Any, Callable, Optional

import numpy as np


def type_of_own(dtype: np.dtype) -> str:
    """Written form of a dtype whose elements an operator may combine."""
    if dtype.hasobject:
        raise ValueError(f"elements of dtype {dtype} refer to objects: only their bytes are sent")
    if not 1 <= dtype.itemsize <= 256:
        raise ValueError(f"elements of {dtype.itemsize} bytes: they have 1 to 256")
    return str(dtype.descr if dtype.fields else dtype.str)


class OwnOperator:
    """A function that combines two arrays, element by element. The extension calls the methods with
    bytes of elements, and takes those of one element."""

    def __init__(self, function: Callable[[np.ndarray, np.ndarray], Any], dtype: np.dtype):
        self._function = function
        self._dtype = dtype
        self.raised: Optional[BaseException] = None  # what the function raised

    def join(self, left: memoryview, right: memoryview) -> bytes:
        return self._combine(self._elements(left), self._elements(right)).tobytes()

    def fold(self, given: memoryview, chunk: int) -> bytes:
        """Chunks from left to right, then the tree over them, level by level: neighbours are combined,
        and a last value moves up alone."""
        level = self._elements(given)
        whole = len(level) // chunk
        rows = level[: whole * chunk].reshape(whole, chunk)
        rest = level[whole * chunk :].reshape(-1, max(1, len(level) - whole * chunk))
        level = np.concatenate([self._along(each) for each in (rows, rest)])
        while len(level) > 1:
            pairs = len(level) // 2
            above = self._combine(level[: 2 * pairs : 2], level[1 : 2 * pairs : 2])
            level = np.concatenate([above, level[2 * pairs :]])
        return level.tobytes()

    def extend(self, value: memoryview, given: memoryview) -> bytes:
        """The value of elements so far, or none of them, and then more from left to right."""
        both = np.concatenate([self._elements(value), self._elements(given)])
        return self._along(both.reshape(1, -1)).tobytes()

    def _along(self, rows: np.ndarray) -> np.ndarray:
        if rows.shape[0] == 0:
            return rows.reshape(0)
        total = rows[:, 0]
        for column in range(1, rows.shape[1]):
            total = self._combine(total, rows[:, column])
        return total

    def _elements(self, given: memoryview) -> np.ndarray:
        return np.frombuffer(given, self._dtype) if len(given) > 0 else np.empty(0, self._dtype)

    def _combine(self, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        try:
            result = np.asarray(self._function(left, right))
        except BaseException as raised:
            self.raised = raised
            words = str(raised)
            name = type(raised).__name__
            raise ValueError(f"{name}: {words}" if words else name) from None
        if result.dtype != self._dtype or result.shape != left.shape:
            raise ValueError(
                f"the operator returned an array of dtype {result.dtype} and shape {result.shape}, "
                f"not {self._dtype} and {left.shape}: it combines two arrays, element by element"
            )
        return result
