"""A time slider, and the thread that moves it."""

import threading
import time
from collections.abc import Callable
from typing import Any

RATE = 30.0  # number of animation frames per second
SPEEDS = ("0.1", "0.25", "0.5", "1", "2", "4")


class Player:
    """Controls of a motion: play, pause, speed, time. `show` is called with the time since the start [s]."""

    def __init__(self, gui: Any, duration: float, show: Callable[[float], None]) -> None:
        self.duration, self._show = duration, show
        self._wake, self._ended, self._quiet = threading.Event(), False, False
        self._folder = gui.add_folder("Motion", order=-1)
        with self._folder:
            self.button = gui.add_button("Play")
            self.time = gui.add_slider("time [s]", min=0.0, max=duration, step=duration / 1000, initial_value=0.0)
            self.speed = gui.add_dropdown("speed", SPEEDS, initial_value="1")
        self.button.on_click(lambda _: self.pause() if self._wake.is_set() else self.play())
        self.time.on_update(lambda _: None if self._quiet else self._show(float(self.time.value)))
        self._thread = threading.Thread(target=self._run, name="revolute view player", daemon=True)
        self._thread.start()

    def play(self) -> None:
        """Start or continue the motion; restart it if the end was reached."""
        if self.time.value >= self.duration:
            self._set(0.0)
        self.button.label = "Pause"
        self._wake.set()

    def pause(self) -> None:
        """Pause the motion."""
        self._wake.clear()
        self.button.label = "Play"

    def end(self) -> None:
        """End the thread, and remove the folder of controls."""
        self._ended = True
        self._wake.set()
        if self._thread is not threading.current_thread():
            self._thread.join(2.0)
        self._folder.remove()

    def _set(self, at: float) -> None:
        self._quiet = True
        self.time.value = at
        self._quiet = False
        self._show(at)

    def _run(self) -> None:
        while True:
            self._wake.wait()
            before = time.monotonic()
            time.sleep(1 / RATE)
            if self._ended:
                return
            if self._wake.is_set():
                at = float(self.time.value) + (time.monotonic() - before) * float(self.speed.value)
                self._set(min(at, self.duration))
                if at >= self.duration:
                    self.pause()
