"""A headless Chromium, driven over its DevTools protocol: one page, what is pressed on it and how it looks."""
import base64
import contextlib
import json
import shutil
import subprocess
import tempfile
import time
import urllib.request
from pathlib import Path

PROGRAM = shutil.which("chromium") or shutil.which("chromium-browser")
KEYS = {"Enter": (13, "\r"), "Tab": (9, ""), "Escape": (27, ""), "ArrowLeft": (37, ""), "ArrowUp": (38, ""),
        "ArrowRight": (39, ""), "ArrowDown": (40, ""), "Home": (36, ""), "End": (35, "")}


class Chromium:
    """A browser with a profile of its own that shows one page.  `failures`: exceptions and errors on its console."""

    def __init__(self, width: int = 1280, height: int = 860):
        from websockets.sync.client import connect

        self.failures: list[str] = []
        self._folder = Path(tempfile.mkdtemp(prefix="mugo-chromium-"))
        self._process = subprocess.Popen(
            [PROGRAM, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-background-networking",
             "--no-first-run", "--disable-component-update", "--disable-extensions", "--disable-dev-shm-usage",
             "--remote-debugging-port=0", f"--user-data-dir={self._folder}", "about:blank"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        told = self._folder / "DevToolsActivePort"
        wait_for(lambda: told.exists() and told.read_text().count("\n") >= 1, "Chromium to start", 30)
        port = told.read_text().split()[0]
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/json/list") as answer:
            target = next(page for page in json.load(answer) if page["type"] == "page")
        self._open = contextlib.ExitStack()
        self._line = self._open.enter_context(connect(target["webSocketDebuggerUrl"], max_size=64 << 20))
        self._count = 0
        for domain in ("Page", "Runtime", "Log"):
            self.send(f"{domain}.enable")
        self.resize(width, height)

    def send(self, method: str, **params) -> dict:
        """Call a method of the protocol; returns its result."""
        self._count += 1
        self._line.send(json.dumps({"id": self._count, "method": method, "params": params}))
        while True:
            message = json.loads(self._line.recv(timeout=30))
            if message.get("id") == self._count:
                assert "error" not in message, f"{method}: {message['error']}"
                return message["result"]
            self._note(message)

    def _note(self, event: dict) -> None:
        params = event.get("params", {})
        if event.get("method") == "Runtime.exceptionThrown":
            self.failures.append(params["exceptionDetails"].get("exception", {}).get("description", str(params)))
        elif event.get("method") == "Log.entryAdded" and params["entry"]["level"] == "error":
            self.failures.append(f"{params['entry']['text']} {params['entry'].get('url', '')}")

    def open(self, address: str) -> None:
        self.send("Page.navigate", url=address)

    def resize(self, width: int, height: int, scale: float = 1, touch: bool = False) -> None:
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale,
                  mobile=touch)
        self.send("Emulation.setTouchEmulationEnabled", enabled=touch)

    def prefer(self, scheme: str) -> None:
        """scheme: 'dark' or 'light'."""
        self.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def run(self, script: str):
        """The value of a JavaScript expression, promises awaited."""
        answer = self.send("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def until(self, script: str, seconds: float = 15) -> None:
        """Wait until a JavaScript expression holds."""
        wait_for(lambda: self.run(f"Boolean({script})"), script, seconds)

    def click(self, x: float, y: float) -> None:
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, clickCount=1,
                      button="none" if kind == "mouseMoved" else "left")

    def move(self, x: float, y: float) -> None:
        self.send("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def wheel(self, x: float, y: float, by: float) -> None:
        self.send("Input.dispatchMouseEvent", type="mouseWheel", x=x, y=y, deltaX=0, deltaY=by)

    def tap(self, x: float, y: float) -> None:
        self.send("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
        self.send("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    def press(self, key: str) -> None:
        code, text = KEYS[key] if key in KEYS else (ord(key.upper()), key)
        for kind in ("keyDown", "keyUp"):
            self.send("Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=code,
                      **({"text": text} if text and kind == "keyDown" else {}))

    def screenshot(self, path: str | Path) -> None:
        shot = self.send("Page.captureScreenshot", format="png")
        Path(path).write_bytes(base64.b64decode(shot["data"]))

    def close(self) -> None:
        self._open.close()
        self._process.terminate()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        shutil.rmtree(self._folder, ignore_errors=True)


def wait_for(holds, what: str, seconds: float) -> None:
    """Wait until holds() does; fails with what was waited for."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, f"waited {seconds:g} seconds for: {what}"
        time.sleep(0.03)
