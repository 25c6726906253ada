# SPDX-License-Identifier: MIT

"""Reducers of NumPy arrays."""

from __future__ import annotations

import atexit
import itertools
import weakref
from typing import Any, Callable, List, NamedTuple, NoReturn, Optional, Union

import numpy as np
from mpi4py import MPI

from . import _bracket
from ._arguments import Fields, name_of, own_names, ranges_of, results_in, whole
from ._plans import Planned

Operator = Callable[[np.ndarray, np.ndarray], Any]
Scalar = Union[np.number, "Located", "Digest"]
Result = Union[None, Scalar, List[Scalar]]
Distributions = Union[None, _bracket.Distribution, List[Optional[_bracket.Distribution]]]


class Located(NamedTuple):
    """The extreme element and the lowest global index at which it lies; -1 without elements."""

    value: np.number
    index: int  # type: ignore[assignment]


class Accuracy(NamedTuple):
    """What stochastic arithmetic says about a sum: the decimal digits that rounding errors do not
    affect, by Student's test at 95 %, and the number of cancellations, which are additions whose
    result has at least four digits less than their operands."""

    digits: float
    cancellations: int


class Digest(NamedTuple):
    """Identifies the elements of a reduction, bit for bit. An equal `sequence` means the same
    elements in the same sequence; an equal `set` with a different `sequence`, the same elements in
    another sequence; a different `set`, different elements. Two different inputs have equal digests
    with a probability of about 2**-64.
    """

    set: int
    sequence: int


def room_for(count: int, dtype: np.dtype, op: str) -> np.ndarray:
    """An array of `count` results of an operator on elements of a dtype."""
    if op == "digest":
        return np.zeros(count, np.dtype([("set", np.uint64), ("sequence", np.uint64)]))
    if not op.endswith("-location"):
        return np.zeros(count, dtype)
    placed: Any = {
        "names": ["value", "index"], "formats": [dtype, np.int64], "offsets": [0, 8], "itemsize": 16,
    }
    return np.zeros(count, np.dtype(placed))


def values_of(results: np.ndarray) -> List[Scalar]:
    """The results in such an array."""
    if results.dtype.fields is None:
        return list(results)
    if "set" in results.dtype.fields:
        return [Digest(int(each["set"]), int(each["sequence"])) for each in results]
    return [Located(each["value"], int(each["index"])) for each in results]


_numbers = itertools.count()
_alive: "weakref.WeakValueDictionary[int, Reducer]" = weakref.WeakValueDictionary()


@atexit.register
def _free_all() -> None:
    """Frees all reducers before mpi4py ends MPI, in the same order on every rank."""
    for _, reducer in sorted(_alive.items()):
        reducer.free()


def _raise_from(wrong: _bracket.Error, fields: Fields) -> NoReturn:
    """Raises `wrong`, with the exception of a function of elements on this rank as its cause. Raises
    that exception itself if it is to end the program."""
    cause = fields.raised()
    if cause is not None and not isinstance(cause, Exception):  # KeyboardInterrupt, SystemExit
        raise cause
    raise wrong from cause


class Reducer:
    """Reduces fields that the ranks of a communicator hold, with the same bits on any number of ranks.

    Reducer(comm, x, *, op="sum", algorithm="tree", ranges=None, factors=None, distribution=None,
            root=None, widened=False, checked=False, plan=None, planned=None, threads=1,
            kernel=None, memory=None)

    The bits are the same if the sequence of elements is the same: the elements of rank 0, then those
    of rank 1, and so on. Blocks of a grid have different sequences on different numbers of ranks. For
    these, algorithm="binned" gives bits that do not depend on the sequence.

    Make a reducer once and run it as often as you want. The messages of several reducers do not mix.
    Collective over `comm`, an mpi4py communicator; the arguments must be the same on every rank,
    except `x`, `ranges`, `factors`, `threads`, `kernel` and `memory`.

    x             this rank's array. Fixes shape and dtype; is not read here. int32, int64, uint32,
                  uint64, float32, float64, complex64 or complex128, with up to five dimensions and
                  any strides, and never copied; a number is an array without dimensions. A list of
                  arrays is several fields, which share messages. A list of numbers is refused:
                  np.asarray makes it one array. Arrays of a CUDA device, of CuPy, PyTorch, JAX or
                  Numba, are those with `__cuda_array_interface__`, or with `__dlpack__` alone:
                  float32 or float64.
    op            "sum", "product", "minimum" or "maximum"; "minimum-location" or
                  "maximum-location", with the global index of the element (`Located`); "digest",
                  which identifies the elements and their sequence (`Digest`). For several fields,
                  one for all, or a list of the first four, or of the two locations.
                  An operator of your own is a function of two arrays that combines them element by
                  element, the first from the left, such as `np.hypot`: it need be neither
                  associative nor commutative. Elements then may have any dtype without objects, of
                  up to 256 bytes, and the algorithm is "tree", "chunked-tree:64" or "sequential".
    algorithm     "tree": the binary tree over the global sequence of elements, those of rank 0, then
                  of rank 1, …, the last dimension fastest;
                  "chunked-tree:64": chunks of 64 elements from left to right, then the tree;
                  "sequential": from left to right;
                  "binned" or "binned:4": sums in 3 or 4 bins, 1 to 8, of 40 bits each, with the same bits
                  for any sequence of elements; "binned:4:30" has bins of 30 bits, of 8 to 50;
                  "binned-exact": the same, but products are not rounded before they are added;
                  "pre-rounded" or "pre-rounded:3": sums of 2 or 3 levels, 1 to 4, of multiples, by two
                  reductions, with the same bits for any sequence of elements; a function of
                  elements is called twice, and must return the same;
                  "double-double": sums by the tree over double-double numbers;
                  "stochastic": sums by the tree, each the mean of three with random rounding;
                  "associative": for integers, whose results do not depend on the bracketing.
    ranges        the elements to reduce: a tuple with (begin, end) or a slice for each dimension,
                  such as np.s_[:n, 1:]. For several fields, one for all, or a list. None: all.
    factors       a second array, whose products with x are reduced, element by element:
                  sum(x * y). For several fields, one for all, or a list.
    distribution  a `Distribution` of the elements over all ranks. For several fields, one for all, or
                  a list. None: each rank's elements follow those of the rank below.
    root          the rank that gets the results. None: every rank.
    widened       compute float32 and complex64 in float64, and round once at the end.
    checked       integer results that do not fit raise Error; otherwise they wrap.
    plan          a plan of `bracket list`. None: one that suits the number of ranks.
    planned       a `Planned` of `bracket.read_plan`, in place of algorithm, plan, root and
                  distribution. None: no plan file.
    threads       number of threads that fold this rank's elements.
    kernel        a kernel of `bracket list`. None: the fastest.
    memory        where this rank's arrays lie: "host" or "cuda". None: as their addresses say.

    Raises CollectiveError on every rank if something is wrong on any of them.

    Free a reducer before MPI ends, by `with` or `free`; the rest is freed when the interpreter ends.
    After an error in a run, no further run is possible. Only one thread at a time may use a reducer:
    the GIL is released in a call, and another thread that enters meanwhile gets an Error.
    """

    def __init__(
        self,
        comm: MPI.Comm,
        x: Any,
        *,
        op: Union[str, List[str], Operator] = "sum",
        algorithm: str = "tree",
        ranges: Any = None,
        factors: Any = None,
        distribution: Distributions = None,
        root: Optional[int] = None,
        widened: bool = False,
        checked: bool = False,
        plan: Optional[str] = None,
        planned: Optional[Planned] = None,
        threads: int = 1,
        kernel: Optional[str] = None,
        memory: Optional[str] = None,
    ):
        if not isinstance(comm, MPI.Comm):
            raise TypeError(f"comm is of type {type(comm).__name__}, not a communicator of mpi4py")
        self._kept: Any = None  # arrays and results of the run under way
        self._result: Result = None
        address = MPI._addressof(comm)
        try:
            op = own_names(op)
            fields = Fields(x, factors, own=op if callable(op) else None)
            if callable(op):
                op = "sum"  # the extension takes that of `fields` in its place
            count = len(fields.arrays)
            if planned is not None:
                if not isinstance(planned, Planned):
                    raise ValueError(f"planned is of bracket.read_plan, not {planned!r}")
                if algorithm != "tree" or not (plan is root is distribution is None):
                    raise ValueError(
                        "algorithm, plan, root and distribution are those of planned: leave them out"
                    )
                _, distribution, algorithm, plan, root = planned
            if isinstance(ranges, list) and not fields.several:
                raise ValueError(
                    f"ranges is the list {ranges!r}, which is for several fields: give a tuple "
                    "with a range for each dimension"
                )
            each_range = ranges if isinstance(ranges, list) else [ranges] * count
            each_distribution = (
                distribution if isinstance(distribution, list) else [distribution] * count
            )
            if isinstance(op, list) and not fields.several:
                raise ValueError(f"op is the list {op!r}, which is for several fields: give a name")
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
            arguments: Any = (
                fields.type, ops[0], described, name_of("algorithm", algorithm),
                bool(widened), bool(checked),
                None if root is None else whole("root", root), str(plan or ""),
                whole("threads", threads), str(kernel or ""), str(memory or ""),
                fields.own,
            )
            self._several = fields.several
            self._type = fields.type
            self._own = fields.own
            self._dtype = fields.arrays[0].dtype
            self._results = room_for(count, fields.arrays[0].dtype, ops[0])
            self._reducer = _bracket.Reducer(address, *arguments)
        except _bracket.CollectiveError:
            raise
        except Exception as wrong:  # the other ranks are waiting
            _bracket.refuse(address, str(wrong) or type(wrong).__name__)
        self._number = next(_numbers)
        _alive[self._number] = self

    def run(self, x: Any, factors: Any = None, out: Any = None) -> Result:
        """Reduces arrays like those it was made for, with the same ranges. Returns the result: a NumPy
        scalar of their dtype, `Located` or `Digest`; a list of these for several fields; None on
        ranks that do not get it. Collective. The arrays may have other strides; arrays with another
        shape or dtype are refused on every rank.

        A function may stand in place of the array of a field without factors. It is called with a
        slice of the numbers of this rank's elements, from 0 on in the sequence of the ranges, and
        returns these elements: an array of that length and the reducer's dtype. So the products of
        three arrays need no array of their own: run(lambda s: u[s] * v[s] * w[s]).

        `out`, an array with room for the result of each field, of a CUDA device or of NumPy, gets the
        results on the ranks that get any, and is then returned in their place."""
        self.start(x, factors, out)
        return self.wait()

    def start(self, x: Any, factors: Any = None, out: Any = None) -> None:
        """Begins such a run. The arrays must not change until `test` returns True or `wait` returns;
        they are kept alive. Call `test` now and then: other ranks may wait for this rank."""
        reducer = self._reducer
        try:
            fields = Fields(x, factors, self._dtype, self._own)
            if fields.several != self._several:
                raise ValueError("one array where it was made for a list, or a list for one")
            if fields.type != self._type:
                raise ValueError(f"arrays of {fields.type}, the reducer was made for {self._type}")
            fields.wait_for_streams()
            results = self._results.copy() if out is None else results_in(out, self._results)
        except Exception as wrong:
            reducer.refuse(str(wrong) or type(wrong).__name__)
        try:
            reducer.start(fields.pairs(), results)
        except _bracket.Error as wrong:
            if fields.raised() is None and not isinstance(wrong, _bracket.CollectiveError):
                raise  # refused on this rank, for example while another run is under way
            self._kept = None
            _raise_from(wrong, fields)
        self._kept = (fields, results, out)

    def test(self) -> bool:
        """Makes progress, and returns whether the run is complete; True without a run."""
        return self._advance(self._reducer.test)

    def wait(self) -> Result:
        """Completes the run, if there is one, and returns the result of the latest, as `run` does."""
        self._advance(self._reducer.wait)
        return self._result

    def _advance(self, advance: Any) -> bool:
        kept = self._kept  # keeps the arrays to the end of the call, whatever other threads do
        try:
            complete = advance() is not False
        except _bracket.Busy:
            raise
        except _bracket.Error as wrong:  # it has ended the run
            if self._kept is kept:
                self._kept = self._result = None
            if kept is not None:
                _raise_from(wrong, kept[0])
            raise
        if complete and kept is not None and self._kept is kept:  # no other run has begun
            self._kept = None
            self._finish(kept[1], kept[2])
        return complete

    def _finish(self, results: np.ndarray, out: Any) -> None:
        self._result = None
        if self._reducer.delivers and out is not None:
            self._result = out
        elif self._reducer.delivers:
            values = list(results) if self._own is not None else values_of(results)
            self._result = values if self._several else values[0]

    def free(self) -> None:
        """Frees the reducer; collective. Gives up a run under way: other ranks wait for it forever."""
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
        """Global indices of this rank's elements, as a range; a list for several fields."""
        return self._each(lambda k: range(*self._reducer.held(k)))

    @property
    def elements(self) -> Any:
        """Number of elements on all ranks; a list for several fields."""
        return self._each(self._reducer.elements)

    @property
    def accuracy(self) -> Any:
        """What algorithm="stochastic" says about the latest result, on ranks that have it: an
        `Accuracy`; a list for several fields."""
        return self._each(lambda k: Accuracy(*self._reducer.accuracy(k)))

    @property
    def delivers(self) -> bool:
        """Whether this rank gets the results."""
        return self._reducer.delivers

    @property
    def messages_sent(self) -> int:
        """Number of messages that this rank has sent in all runs."""
        return self._reducer.messages_sent


def _once(x: Any, comm: Optional[MPI.Comm], op: str, factors: Any, settings: Any) -> Result:
    if "op" in settings:
        raise TypeError(f"bracket.{op}() takes no op: bracket.Reducer takes any")
    return allreduce(x, op=op, comm=comm, factors=factors, **settings)


def allreduce(
    x: Any,
    *,
    op: Union[str, Operator] = "sum",
    comm: Optional[MPI.Comm] = None,
    factors: Any = None,
    **settings: Any,
) -> Result:
    """The elements of all ranks of `comm`, by default MPI.COMM_WORLD, reduced by `op`. Unlike MPI's
    all-reduce, it reduces an array to one number. Takes the settings of `Reducer`, which is the better
    choice for more than one reduction."""
    with Reducer(MPI.COMM_WORLD if comm is None else comm, x, op=op, factors=factors, **settings) as one:
        return one.run(x, factors)


def sum(x: Any, *, comm: Optional[MPI.Comm] = None, **settings: Any) -> Result:
    """The sum over all ranks of `comm`, by default MPI.COMM_WORLD. Takes the settings of `Reducer`,
    which is the better choice for more than one sum."""
    return _once(x, comm, "sum", settings.pop("factors", None), settings)


def dot(x: Any, y: Any, *, comm: Optional[MPI.Comm] = None, **settings: Any) -> Result:
    """The sum of the products x * y over all ranks; otherwise as `sum`. Complex numbers are not
    conjugated."""
    return _once(x, comm, "sum", y, settings)


def minimum(x: Any, *, comm: Optional[MPI.Comm] = None, **settings: Any) -> Result:
    """The least element on all ranks; otherwise as `sum`. A NaN wins, and -0 is below +0."""
    return _once(x, comm, "minimum", settings.pop("factors", None), settings)


def maximum(x: Any, *, comm: Optional[MPI.Comm] = None, **settings: Any) -> Result:
    """The greatest element on all ranks; otherwise as `sum`. A NaN wins, and -0 is below +0."""
    return _once(x, comm, "maximum", settings.pop("factors", None), settings)
