"""Reducers of NumPy arrays."""

from __future__ import annotations

import atexit
import itertools
import weakref
from typing import Any, List, NamedTuple, NoReturn, Optional, Union

import numpy as np
from mpi4py import MPI

from . import _bracket
from ._arguments import Fields, algorithm_of, name_of, ranges_of, whole

Scalar = Union[np.number, "Located", "Digest"]
Result = Union[None, Scalar, List[Scalar]]
Distributions = Union[None, _bracket.Distribution, List[Optional[_bracket.Distribution]]]


class Located(NamedTuple):
    """The extreme element and the lowest global index at which it lies; -1 of no elements."""

    value: np.number
    index: int


class Digest(NamedTuple):
    """Which elements were reduced, bit for bit. Equal `sequence`: the same elements in the same
    sequence. Equal `set`, different `sequence`: the same in another sequence. Different `set`:
    different elements. Two different inputs have equal digests with a probability of about 2**-64.
    """

    set: int
    sequence: int


_numbers = itertools.count()
_alive: "weakref.WeakValueDictionary[int, Reducer]" = weakref.WeakValueDictionary()


@atexit.register
def _free_all() -> None:
    """Before mpi4py ends MPI; in the same order on every rank."""
    for _, reducer in sorted(_alive.items()):
        reducer.free()


def _raise_from(wrong: _bracket.Error, fields: Fields) -> NoReturn:
    """`wrong`, of which what a function of elements raised on this rank is the cause; that itself
    if it is to end the program."""
    cause = fields.raised()
    if cause is not None and not isinstance(cause, Exception):  # KeyboardInterrupt, SystemExit
        raise cause
    raise wrong from cause


class Reducer:
    """Reduces fields that the ranks of a communicator hold, to the same bits on any number of them.

    Reducer(comm, x, *, op="sum", algorithm="tree", ranges=None, factors=None, distribution=None,
            root=None, chunk=64, bins=3, widened=False, checked=False, plan=None, threads=1,
            kernel=None)

    The same bits on any number of ranks need the same sequence: the elements of rank 0, then those
    of rank 1, … Blocks of a grid are another sequence on another number of ranks: take
    algorithm="binned" for them, whose bits do not depend on it.

    Made once, with messages of its own, and run as often as wanted. Collective over `comm`,
    an mpi4py communicator; the arguments but `x`, `ranges`, `factors`, `threads` and `kernel` are
    the same on every rank.

    x             this rank's array: shape and dtype are fixed by it; it is not read here. int32,
                  int64, uint32, uint64, float32, float64, complex64 or complex128 of up to five
                  dimensions, with any strides, which are never copied; a number is an array of no dimension. A list of
                  arrays is several fields, which are reduced in the messages of one; a list of
                  numbers is refused, np.asarray makes it one array.
    op            "sum", "product", "minimum" or "maximum"; "minimum-location" or
                  "maximum-location", with the global index of the element (`Located`); "digest":
                  which elements they are, and in which sequence (`Digest`). Of several fields one
                  for all, or a list of the first four, or of the two locations.
    algorithm     "tree": the binary tree over the global sequence of elements: those of rank 0, then
                  of rank 1, …, the last dimension fastest;
                  "chunked-tree": chunks of `chunk` elements from left to right, then the tree;
                  "binned": sums with the same bits for any sequence of elements, of `bins` bins;
                  "double-double": sums, the tree over double-double numbers;
                  "integer": of integers.
    ranges        the elements meant: a tuple that has (begin, end) or a slice for each dimension,
                  such as np.s_[:n, 1:]; of several fields the same, or a list of these. None: all.
    factors       a second array, of which the products with x are reduced, element by element:
                  sum(x * y). Of several fields one for all, or a list.
    distribution  who holds what, a `Distribution`, over all ranks; of several fields one for all, or
                  a list. None: each rank's elements follow those of the rank below.
    root          the rank that ends with the results. None: every rank.
    widened       float32 and complex64 in float64 arithmetic, rounded once in the end.
    checked       integer results that do not fit raise Error; else they wrap.
    plan          who tells whom, as in `bracket list`. None: what suits the ranks.
    threads       that fold this rank's elements.
    kernel        as in `bracket list`. None: the fastest.

    Raises CollectiveError on every rank for what is wrong on any of them.

    An operator of your own in Python is not possible; C++'s bracket::Reducer takes one.

    It must end before MPI does: `with` or `free`; what is left at the interpreter's end is freed
    then. Errors in a run end it for good. One thread at a time: the GIL is released in a call, and
    another thread that enters meanwhile gets an Error.
    """

    def __init__(
        self,
        comm: MPI.Comm,
        x: Any,
        *,
        op: Union[str, List[str]] = "sum",
        algorithm: str = "tree",
        ranges: Any = None,
        factors: Any = None,
        distribution: Distributions = None,
        root: Optional[int] = None,
        chunk: int = 64,
        bins: int = 3,
        widened: bool = False,
        checked: bool = False,
        plan: Optional[str] = None,
        threads: int = 1,
        kernel: Optional[str] = None,
    ):
        if not isinstance(comm, MPI.Comm):
            raise TypeError(f"comm is of type {type(comm).__name__}, not a communicator of mpi4py")
        self._kept: Any = None  # arrays and results of the run under way
        self._result: Result = None
        address = MPI._addressof(comm)
        try:
            fields = Fields(x, factors)
            count = len(fields.arrays)
            if isinstance(ranges, list) and not fields.several:
                raise ValueError(
                    f"ranges is the list {ranges!r}, which has those of several fields: a tuple has "
                    "the ranges of one, one for each dimension"
                )
            each_range = ranges if isinstance(ranges, list) else [ranges] * count
            each_distribution = (
                distribution if isinstance(distribution, list) else [distribution] * count
            )
            if isinstance(op, list) and not fields.several:
                raise ValueError(f"op is the list {op!r}, which has those of several fields")
            ops = [name_of("op", each) for each in (op if isinstance(op, list) else [op] * count)]
            if not len(each_range) == len(each_distribution) == len(ops) == count:
                raise ValueError(
                    f"{count} field(s) need as many ranges, distributions and operators, or one"
                )
            described = [
                (array, factor, ranges_of(of_field, array), held, by)
                for (array, factor), of_field, held, by in zip(
                    fields.pairs(), each_range, each_distribution, ops
                )
            ]
            for held in each_distribution:
                if held is not None and not isinstance(held, _bracket.Distribution):
                    raise ValueError(f"a distribution is a bracket.Distribution, not {held!r}")
            algorithm = algorithm_of(algorithm)
            arguments = (
                fields.type, ops[0], described, algorithm, whole("chunk", chunk, 64),
                whole("bins", bins), bool(widened), bool(checked),
                None if root is None else whole("root", root), str(plan or ""),
                whole("threads", threads), str(kernel or ""),
            )
            self._several = fields.several
            self._type = fields.type
            self._dtype = fields.arrays[0].dtype
            self._results = self._room(count, fields.arrays[0].dtype, ops[0])
            self._reducer = _bracket.Reducer(address, *arguments)
        except _bracket.CollectiveError:
            raise
        except Exception as wrong:  # the others are waiting
            _bracket.refuse(address, str(wrong) or type(wrong).__name__)
        self._number = next(_numbers)
        _alive[self._number] = self

    @staticmethod
    def _room(count: int, dtype: np.dtype, op: str) -> np.ndarray:
        if op == "digest":
            return np.zeros(count, np.dtype([("set", np.uint64), ("sequence", np.uint64)]))
        if not op.endswith("-location"):
            return np.zeros(count, dtype)
        formats = {"names": ["value", "index"], "formats": [dtype, np.int64]}
        return np.zeros(count, np.dtype({**formats, "offsets": [0, 8], "itemsize": 16}))

    def run(self, x: Any, factors: Any = None) -> Result:
        """Reduces arrays like those it was made for, with the same ranges, and returns the result: a
        NumPy scalar of their dtype, `Located` or `Digest`; a list of several fields; None where it is not
        delivered. Collective. The arrays may have other strides; others in shape or dtype are
        refused on every rank.

        A function may stand in place of an array of a field without factors: called with a slice of
        the numbers of this rank's elements, from 0 on in the sequence of the ranges, it returns
        them, an array of that length and the reducer's dtype. So products of three need no array of
        their own: run(lambda s: u[s] * v[s] * w[s])."""
        self.start(x, factors)
        return self.wait()

    def start(self, x: Any, factors: Any = None) -> None:
        """Begins such a run. The arrays must not change until `test` is true or `wait` returns; they
        are kept alive. While it runs, call `test` now and then: others may need this rank's help."""
        reducer = self._reducer
        try:
            fields = Fields(x, factors, self._dtype)
            if fields.several != self._several:
                raise ValueError("one array where it was made for a list, or a list for one")
            if fields.type != self._type:
                raise ValueError(f"arrays of {fields.type}, the reducer was made for {self._type}")
        except Exception as wrong:
            reducer.refuse(str(wrong) or type(wrong).__name__)
        results = self._results.copy()
        try:
            reducer.start(fields.pairs(), results)
        except _bracket.Error as wrong:
            if fields.raised() is None and not isinstance(wrong, _bracket.CollectiveError):
                raise  # refused here, as while another run is under way
            self._kept = None
            _raise_from(wrong, fields)
        self._kept = (fields, results)

    def test(self) -> bool:
        """Does what has become possible, and says whether the run is complete; True without one."""
        return self._advance(self._reducer.test)

    def wait(self) -> Result:
        """Completes the run, if there is one, and returns the result of the latest, as `run`."""
        self._advance(self._reducer.wait)
        return self._result

    def _advance(self, advance: Any) -> bool:
        kept = self._kept  # to the end of the call, whatever other threads do
        try:
            complete = advance() is not False
        except _bracket.Busy:
            raise
        except _bracket.Error as wrong:  # which has ended the run
            if self._kept is kept:
                self._kept = self._result = None
            if kept is not None:
                _raise_from(wrong, kept[0])
            raise
        if complete and kept is not None and self._kept is kept:  # nobody has begun another
            self._kept = None
            self._finish(kept[1])
        return complete

    def _finish(self, results: np.ndarray) -> None:
        self._result = None
        if self._reducer.delivers:
            if results.dtype.fields is None:
                values = list(results)
            elif "set" in results.dtype.fields:
                values = [Digest(int(each["set"]), int(each["sequence"])) for each in results]
            else:
                values = [Located(each["value"], int(each["index"])) for each in results]
            self._result = values if self._several else values[0]

    def free(self) -> None:
        """Ends it, collectively. A run under way is given up: the others would wait in vain."""
        _alive.pop(self._number, None)
        self._reducer.free()
        self._kept = None

    def __enter__(self) -> "Reducer":
        return self

    def __exit__(self, exception: Any, *_: Any) -> None:
        try:
            if exception is None and self._kept is not None:
                self.wait()
        finally:
            self.free()

    def _each(self, ask: Any) -> Any:
        each = [ask(k) for k in range(len(self._results))]
        return each if self._several else each[0]

    @property
    def held(self) -> Any:
        """Global indices of this rank's elements, as a range; a list of several fields."""
        return self._each(lambda k: range(*self._reducer.held(k)))

    @property
    def elements(self) -> Any:
        """Elements on all ranks; a list of several fields."""
        return self._each(self._reducer.elements)

    @property
    def delivers(self) -> bool:
        """Whether this rank ends with the results."""
        return self._reducer.delivers

    @property
    def messages_sent(self) -> int:
        """Messages that this rank has sent since it was made."""
        return self._reducer.messages_sent


def _once(x: Any, comm: Optional[MPI.Comm], op: str, factors: Any, settings: Any) -> Result:
    if "op" in settings:
        raise TypeError(f"bracket.{op}() takes no op: bracket.Reducer takes any")
    comm = MPI.COMM_WORLD if comm is None else comm
    with Reducer(comm, x, op=op, factors=factors, **settings) as reducer:
        return reducer.run(x, factors)


def sum(x: Any, *, comm: Optional[MPI.Comm] = None, **settings: Any) -> Result:
    """The sum over all ranks of `comm`, MPI.COMM_WORLD if not given. Settings as of `Reducer`, which
    is the better choice for more than one sum."""
    return _once(x, comm, "sum", settings.pop("factors", None), settings)


def dot(x: Any, y: Any, *, comm: Optional[MPI.Comm] = None, **settings: Any) -> Result:
    """The sum of the products x * y over all ranks, as `sum`. Complex numbers are not conjugated."""
    return _once(x, comm, "sum", y, settings)


def minimum(x: Any, *, comm: Optional[MPI.Comm] = None, **settings: Any) -> Result:
    """The least element on all ranks, as `sum`. A NaN wins, -0 is below +0."""
    return _once(x, comm, "minimum", settings.pop("factors", None), settings)


def maximum(x: Any, *, comm: Optional[MPI.Comm] = None, **settings: Any) -> Result:
    """The greatest element on all ranks, as `sum`. A NaN wins, -0 is below +0."""
    return _once(x, comm, "maximum", settings.pop("factors", None), settings)
