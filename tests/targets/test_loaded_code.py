"""Machine code in memory is freed once, by one thread, whoever finds that it is garbage."""

import gc
import sys
import threading

import llvmlite.binding as llvm
from robots import signature

import revolute
from revolute.targets.llvm import Loaded, compile_parts, host, load_object, module_parts
from revolute.targets.llvm.forks import lock

HOST = sys.modules["revolute.targets.llvm.host"]


def loaded_code() -> Loaded:
    graph = signature(revolute.robots.planar(1), "gravity_forces", {}).graph()
    return load_object(compile_parts(module_parts(graph, host().lanes(), 40), host()), host())


def test_the_garbage_collector_does_not_free_code_while_a_thread_uses_llvm() -> None:
    """In a cycle it calls the finalizers of the code and of its engine both: the latter must find nothing to do."""
    loaded = loaded_code()
    loaded.keep(loaded)
    key = id(loaded._engine)
    taken, done = threading.Event(), threading.Event()

    def uses_llvm() -> None:
        with lock:
            taken.set()
            done.wait(60)

    thread = threading.Thread(target=uses_llvm)
    thread.start()
    taken.wait(60)
    del loaded
    gc.collect()
    try:
        waiting = [engine for engine in HOST._dead if id(engine) == key]
        assert len(waiting) == 1 and not waiting[0].closed and key in HOST._alive
    finally:
        done.set()
        thread.join()
    loaded_code()
    assert waiting[0].closed and not HOST._dead and HOST._alive.get(key) is not waiting[0]


def test_code_is_left_alone_when_the_process_ends() -> None:
    """What runs whenever LLVM is asked, such as a function of Numba's, may be gone already."""
    asked: list[int] = []

    def ask() -> None:
        asked.append(1)

    loaded = loaded_code()
    engine, free = loaded._engine, loaded.__del__
    llvm.ffi.register_lock_callback(ask, ask)
    try:
        free(process_ends=lambda: True)
        assert engine.closed and not asked
        HOST._alive.pop(id(engine))
        loaded_code()
        assert asked
    finally:
        llvm.ffi.unregister_lock_callback(ask, ask)
