# SPDX-License-Identifier: MIT

"""Checks of the user's arguments. Every ValueError says what would be right."""

from __future__ import annotations

import operator
from typing import Any, Callable, List, Optional, Tuple

import numpy as np
from mpi4py import MPI

from . import _bracket
from ._own_operator import OwnOperator, type_of_own

_types = {
    ("i", 4): "int32",
    ("i", 8): "int64",
    ("f", 4): "float32",
    ("f", 8): "float64",
    ("c", 8): "complex64",
    ("c", 16): "complex128",
    ("u", 4): "uint32",
    ("u", 8): "uint64",
}


def type_of(dtype: np.dtype) -> str:
    if not dtype.isnative:
        raise ValueError(
            f"dtype {dtype.str} is not in this machine's byte order: "
            "x.astype(x.dtype.newbyteorder('=')) is"
        )
    name = _types.get((dtype.kind, dtype.itemsize))
    if name is None or dtype.fields is not None:
        raise ValueError(
            f"arrays of dtype {dtype} are not reduced; known: {', '.join(_types.values())}: "
            "convert them with x.astype"
        )
    return name


class _DeviceArray:
    """What NumPy needs to describe an array of a CUDA device. Its elements must not be read."""

    def __init__(self, x: Any, written: bool = False):
        interface = x.__cuda_array_interface__
        if interface.get("mask") is not None:
            raise ValueError("a masked array of a device: give the array without its mask")
        # NumPy refuses the address of an array without elements, which is 0.
        address = interface["data"][0] or 1
        self.__array_interface__ = {
            "version": 3,
            "shape": interface["shape"],
            "typestr": interface["typestr"],
            "strides": interface.get("strides"),
            "data": (address, not written or interface["data"][1]),
        }
        self.stream = interface.get("stream")
        self._kept = x


_dlpack_host, _dlpack_cuda, _dlpack_cuda_host, _dlpack_cuda_managed = 1, 2, 3, 13


def _device_by_dlpack(x: Any) -> Optional[int]:
    """DLPack's type of device of an array that nothing but DLPack describes; None for others."""
    others = ("__cuda_array_interface__", "__array_interface__", "__array__")
    if not hasattr(x, "__dlpack_device__") or any(hasattr(x, other) for other in others):
        return None
    device = int(x.__dlpack_device__()[0])
    if device not in (_dlpack_host, _dlpack_cuda, _dlpack_cuda_host, _dlpack_cuda_managed):
        raise ValueError(
            f"an array of DLPack's device type {device}: arrays lie on the host or on a CUDA device"
        )
    return device


def _array_by_dlpack(x: Any, device: int) -> np.ndarray:
    # The fold follows the work on the legacy default stream, which is 1 in DLPack.
    stream = {"stream": 1} if device in (_dlpack_cuda, _dlpack_cuda_managed) else {}
    try:
        capsule = x.__dlpack__(max_version=(1, 0), **stream)
    except TypeError:  # a library from before version 1
        capsule = x.__dlpack__(**stream)
    return np.asarray(_bracket.DLPackArray(capsule))


def _on_device(x: Any) -> bool:
    if isinstance(x, np.ndarray):
        return False
    if hasattr(x, "__cuda_array_interface__"):
        return True
    return _device_by_dlpack(x) in (_dlpack_cuda, _dlpack_cuda_managed)


def _array_on_device(x: Any, written: bool = False) -> np.ndarray:
    """What NumPy says about an array of a CUDA device."""
    device = _device_by_dlpack(x)
    return np.asarray(_DeviceArray(x, written)) if device is None else _array_by_dlpack(x, device)


def results_in(out: Any, room: np.ndarray) -> np.ndarray:
    """The array `out` as a place for results, of which `room` has as many of the same dtype."""
    results = out
    if _on_device(out):
        results = _array_on_device(out, True)
    elif _device_by_dlpack(out) is not None:
        results = _array(out)
    if not isinstance(results, np.ndarray) or not results.flags.writeable:
        raise ValueError("out is no array, or must not be written")
    if results.dtype != room.dtype or results.size != room.size or not results.flags.c_contiguous:
        raise ValueError(
            f"out has {results.size} elements of dtype {results.dtype}: give an array of "
            f"{room.size}, side by side, of dtype {room.dtype}"
        )
    return results


def _array(x: Any) -> np.ndarray:
    """x as an array, not copied; a number becomes an array without dimensions."""
    if _on_device(x):
        return _array_on_device(x)
    device = _device_by_dlpack(x)
    if device is not None:
        return _array_by_dlpack(x, device)
    if isinstance(x, np.ma.MaskedArray):
        raise ValueError(
            "a masked array: give an array whose masked elements do not change the result, such as "
            "x.filled(0) for a sum"
        )
    return np.asarray(x)


def _refuse_plain(name: str, x: Any) -> None:
    """Refuses a list of numbers or of lists, which may be several fields or one array."""
    plain = (int, float, complex, np.generic, list, tuple)
    if isinstance(x, (list, tuple)) and x and all(isinstance(each, plain) for each in x):
        raise ValueError(
            f"{name} is a {type(x).__name__} of {type(x[0]).__name__}: a list is several fields, "
            f"each of them an array; np.asarray({name}) is one"
        )


def elements_of(x: Any, dtype: np.dtype) -> np.ndarray:
    """The elements of a number, an array or a list, side by side. A Python number takes the dtype."""
    if _on_device(x):
        raise ValueError("an array of a device: an accumulator takes arrays of the host")
    if isinstance(x, (int, float, complex)) and not isinstance(x, np.generic):
        whole_numbers = dtype.kind in "iu"
        if (whole_numbers and not isinstance(x, int)) or (dtype.kind == "f" and isinstance(x, complex)):
            raise ValueError(f"{x!r} is not of the accumulator's dtype {dtype}")
        limits = np.iinfo(dtype) if whole_numbers else None
        if limits and isinstance(x, int) and not limits.min <= x <= limits.max:
            raise ValueError(f"{x!r} does not fit dtype {dtype}")
        return np.asarray(x, dtype)
    array = _array(x)
    if array.dtype != dtype:
        raise ValueError(
            f"elements of dtype {array.dtype}, the accumulator was made for {dtype}: "
            f".astype(np.{dtype}) makes them alike"
        )
    return np.ascontiguousarray(array)


class ElementsByFunction:
    """The elements that a function returns for a slice of their numbers, checked and contiguous."""

    def __init__(self, function: Callable[[slice], Any], dtype: Optional[np.dtype]):
        self._function = function
        self._dtype = dtype
        self.raised: Optional[BaseException] = None  # what the function raised

    def __call__(self, first: int, count: int) -> np.ndarray:
        try:
            given = self._function(slice(first, first + count))
        except BaseException as raised:
            self.raised = raised
            words = str(raised)
            name = type(raised).__name__
            raise ValueError(f"{name}: {words}" if words else name) from None
        if _on_device(given):
            raise ValueError("a function of elements returned an array of a device: give the array")
        elements = _array(given)
        if elements.dtype != self._dtype or elements.shape != (count,):
            raise ValueError(
                f"elements {first}:{first + count} by a function are an array of dtype "
                f"{elements.dtype} and shape {elements.shape}, not {self._dtype} and ({count},)"
            )
        return np.ascontiguousarray(elements)


class Fields:
    """Arrays, and factors, of one or several fields, all with one dtype. For a run, `dtype` is that
    of the reducer, and a function may stand in place of an array. With `own`, a function of two
    arrays or its `OwnOperator`, elements may have any dtype."""

    def __init__(self, x: Any, factors: Any, dtype: Optional[np.dtype] = None, own: Any = None):
        _refuse_plain("x", x)
        _refuse_plain("factors", factors)
        self.several = isinstance(x, (list, tuple))
        given_arrays = x if self.several else [x]
        if dtype is None and any(callable(each) for each in given_arrays):
            raise ValueError(
                "a function of elements is for a run: make the reducer with an array of as many, "
                "such as np.broadcast_to(0.0, count), which needs no memory"
            )
        self.arrays: List[Any] = [
            ElementsByFunction(each, dtype) if callable(each) else _array(each)
            for each in given_arrays
        ]
        if self.several and isinstance(factors, (list, tuple)):
            given = list(factors)
        else:
            given = [factors] * len(self.arrays)
        if len(given) != len(self.arrays):
            raise ValueError(f"{len(given)} factors for {len(self.arrays)} field(s)")
        self.factors = [None if each is None else _array(each) for each in given]
        if not self.arrays:
            raise ValueError("a reducer of no fields")
        if dtype is None:
            dtype = self.arrays[0].dtype
        else:
            arrays = [array for array in self.arrays if not callable(array)]
            dtype = arrays[0].dtype if arrays else dtype
        self.type = type_of(dtype) if own is None else type_of_own(dtype)
        self.own = own if own is None or isinstance(own, OwnOperator) else OwnOperator(own, dtype)
        for k, array in enumerate(self.arrays):
            for what, other in (("elements", array), ("factors", self.factors[k])):
                if other is not None and not callable(other) and other.dtype != dtype:
                    raise ValueError(
                        f"field {k}: {what} of dtype {other.dtype} among those of {self.type}: "
                        f".astype({dtype if self.own else f'np.{self.type}'}) makes them alike"
                    )

    def raised(self) -> Optional[BaseException]:
        """The exception of the first function that failed on this rank in the latest run."""
        functions: List[Any] = [each for each in self.arrays if isinstance(each, ElementsByFunction)]
        if self.own is not None:
            functions.append(self.own)
        return next((each.raised for each in functions if each.raised is not None), None)

    def wait_for_streams(self) -> None:
        """Waits for the streams on which arrays of a device are computed."""
        for array in [*self.arrays, *self.factors]:
            stream = getattr(getattr(array, "base", None), "stream", None)
            if stream is not None:
                _bracket.wait_for_stream(stream)

    def pairs(self) -> List[Tuple[Any, Optional[np.ndarray]]]:
        return list(zip(self.arrays, self.factors))


def whole(name: str, value: Any, bits: int = 32) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        raise ValueError(f"{name} is {value!r}, not a whole number") from None
    if not -(2 ** (bits - 1)) <= number < 2 ** (bits - 1):
        raise ValueError(f"{name} is {number}: out of range")
    return number


def ranges_of(ranges: Any, array: np.ndarray) -> Optional[List[Tuple[int, int]]]:
    """(begin, end) in each dimension; None for all elements."""
    if ranges is None:
        return None
    if isinstance(ranges, slice):
        ranges = (ranges,)
    if not isinstance(ranges, tuple):
        raise ValueError(f"the ranges are {ranges!r}, not a tuple: one range for each dimension")
    if Ellipsis in ranges:
        raise ValueError("'...' is not a range: give one for each dimension, ':' for all of it")
    if len(ranges) != array.ndim:
        raise ValueError(f"{len(ranges)} range(s) for an array of {array.ndim} dimension(s)")
    result = []
    for each, extent in zip(ranges, array.shape):
        if isinstance(each, slice):
            begin, end, step = each.indices(extent)
            if step != 1:
                raise ValueError(f"a range in steps of {step}: give x[::{step}] as the array")
            result.append((begin, max(begin, end)))
        elif not isinstance(each, (list, tuple)) or len(each) != 2:
            raise ValueError(
                f"{each!r} is not a range: give a slice or (begin, end), such as "
                f"{each!r}:{each + 1!r}"
                if isinstance(each, (int, np.integer))
                else f"{each!r} is not a range: give a slice or (begin, end)"
            )
        else:
            begin, end = each
            result.append((whole("a range's begin", begin, 64), whole("its end", end, 64)))
    return result


def own_names(op: Any) -> Any:
    """op, with Bracket's names of the operators of mpi4py."""
    if isinstance(op, list):
        return [own_names(each) for each in op]
    if not isinstance(op, MPI.Op):
        return op
    names = {"sum": MPI.SUM, "product": MPI.PROD, "minimum": MPI.MIN, "maximum": MPI.MAX}
    for name, known in names.items():
        if op == known:
            return name
    raise ValueError(
        "op is an operator of mpi4py other than SUM, PROD, MIN and MAX: give a name, such as "
        "'minimum_location', or a function"
    )


def name_of(what: str, value: Any) -> str:
    """A name as `bracket list` writes it."""
    if not isinstance(value, str):
        raise ValueError(
            f"{what} is {value!r}, not a name"
            + (": give a list for several fields" if isinstance(value, tuple) else "")
        )
    return value.replace("_", "-")
