# SPDX-License-Identifier: MIT

"""Arrays of a device, and arrays that only DLPack describes. An emulated device reads them on the host."""

import ctypes
import gc
import itertools

import numpy as np
from support import *

import bracket


class OnDevice:
    """An array as libraries for devices describe theirs. An emulated device reads it on the host."""

    def __init__(self, array):
        self._array = array
        self.__cuda_array_interface__ = {**array.__array_interface__, "version": 2}


def test_arrays_of_a_device():
    for dtype, op in itertools.product((np.float32, np.float64), ("sum", "minimum", "maximum")):
        everything = numbers(dtype)
        own = OnDevice(mine(everything))
        with bracket.Reducer(comm, own, op=op, memory="emulated") as reducer:
            assert same(reducer.run(own), tree(everything, joins[op]))
    x, y = numbers(np.float64), numbers(np.float64)[::-1].copy()
    result = bracket.dot(OnDevice(mine(x)[::-1]), OnDevice(mine(y)[::-1]), memory="emulated")
    turned = np.concatenate([(x * y)[N * k : N * (k + 1)][::-1] for k in range(ranks)])
    assert same(result, tree(turned, joins["sum"]))
    assert bracket.sum(OnDevice(np.zeros(0)), memory="emulated") == 0
    with bracket.Reducer(comm, OnDevice(mine(x)), memory="emulated") as reducer:
        room = np.full(1, -1.0)
        out = OnDevice(room)
        assert reducer.run(OnDevice(mine(x)), out=out) is out
        assert same(room[0], tree(x, joins["sum"]))
        assert same(reducer.run(OnDevice(mine(x))), room[0])
        refused("out has 2 elements of dtype float64: give an array of 1",
                lambda: reducer.run(OnDevice(mine(x)), out=np.zeros(2)))
    refused(
        "devices reduce float32 and float64, not int64",
        lambda: bracket.sum(OnDevice(np.arange(3)), memory="emulated"),
    )
    refused("memory: there is none called gpu", lambda: bracket.sum(x, memory="gpu"))
    refused(
        "returned an array of a device",
        lambda: bracket.Reducer(comm, x).run(lambda s: OnDevice(x[s])),
        bracket.Error,
    )


class ByDLPack:
    """An array that only DLPack describes, in a capsule of NumPy (version 0)."""

    def __init__(self, array, device=2):
        self._array = array
        self._device = device

    def __dlpack_device__(self):
        return self._device, 0

    def __dlpack__(self, *, stream=None):
        assert stream == (1 if self._device in (2, 13) else None)
        return self._array.__dlpack__()


class Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device", ctypes.c_int32 * 2), ("dimensions", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("byte_offset", ctypes.c_uint64)]


class Versioned(ctypes.Structure):
    _fields_ = [("version", ctypes.c_uint32 * 2), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p),
                ("flags", ctypes.c_uint64), ("tensor", Tensor)]


class ByVersionedDLPack(ByDLPack):
    """The same in a capsule of version 1, made by hand."""

    def __init__(self, array, device=2, read_only=False, version=1, code=2, lanes=1):
        super().__init__(array, device)
        self.deleted = 0
        self._shape = (ctypes.c_int64 * max(1, array.ndim))(*array.shape)
        self._strides = (ctypes.c_int64 * max(1, array.ndim))(*(s // array.itemsize for s in array.strides))
        self._deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(self._delete)
        offset = 24
        self._managed = Versioned(
            (version, 0), None, ctypes.cast(self._deleter, ctypes.c_void_p), int(read_only),
            Tensor(array.ctypes.data - offset, (device, 0), array.ndim, code, 8 * array.itemsize, lanes,
                   self._shape, None if array.flags.c_contiguous else self._strides, offset))

    def _delete(self, address):
        assert address == ctypes.addressof(self._managed)
        self.deleted += 1

    def __dlpack__(self, *, stream=None, max_version=None):
        assert max_version == (1, 0) and stream == (1 if self._device in (2, 13) else None)
        make = ctypes.pythonapi.PyCapsule_New
        make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return make(ctypes.addressof(self._managed), b"dltensor_versioned", None)


def test_arrays_by_dlpack():
    x, y = numbers(np.float64), numbers(np.float64)[::-1].copy()
    expected = tree(x, joins["sum"])
    for kind, device in itertools.product((ByDLPack, ByVersionedDLPack), (1, 2, 3, 13)):
        memory = None if device in (1, 3) else "emulated"
        assert same(bracket.sum(kind(mine(x), device), memory=memory), expected)
    strided = np.zeros((len(mine(x)), 2))
    strided[:, 0], strided[:, 1] = mine(x), 1e300
    result = bracket.dot(ByVersionedDLPack(strided[:, 0]), ByDLPack(mine(y)), memory="emulated")
    assert same(result, tree(x * y, joins["sum"]))
    assert bracket.sum(ByDLPack(np.zeros(0)), memory="emulated") == 0
    assert bracket.sum(ByDLPack(np.arange(3, dtype=np.int32), 1)) == 3 * ranks

    given, room = ByVersionedDLPack(mine(x)), np.full(1, -1.0)
    out = ByVersionedDLPack(room)
    with bracket.Reducer(comm, given, memory="emulated") as reducer:
        assert reducer.run(given, out=out) is out
        assert same(room[0], expected)
        room[0] = -1
        on_host = ByVersionedDLPack(room, 1)
        assert reducer.run(given, out=on_host) is on_host and same(room[0], expected)
        refused("must not be written",
                lambda: reducer.run(given, out=ByVersionedDLPack(room, read_only=True)))
    gc.collect()
    assert given.deleted >= 2 and out.deleted >= 1
    for device in (4, 10):
        refused(f"DLPack's device type {device}", lambda: bracket.sum(ByDLPack(mine(x), device)))
    refused("DLPack 2", lambda: bracket.sum(ByVersionedDLPack(mine(x), version=2)), bracket.Error)
    refused("elements NumPy lacks", lambda: bracket.sum(ByVersionedDLPack(mine(x), lanes=2)), bracket.Error)
    refused("elements NumPy lacks", lambda: bracket.sum(ByVersionedDLPack(mine(x), code=4)), bracket.Error)
    used = ByDLPack(mine(x))
    capsule = used.__dlpack__(stream=1)
    bracket._bracket.DLPackArray(capsule)
    used.__dlpack__ = None
    refused("used before", lambda: bracket._bracket.DLPackArray(capsule), bracket.Error)


run_tests(globals())
