"""A headless Chromium with one page, driven over the DevTools protocol."""
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
        "ArrowRight": (39, ""), "ArrowDown": (40, ""), "Home": (36, ""), "End": (35, ""), "Delete": (46, "")}


class Chromium:
    """A browser with its own profile.

    failures: exceptions and errors on its console.  questions: kinds of the dialogs that it has asked itself, such as
    "beforeunload"; it leaves the page.
    """

    def __init__(self, width: int = 1280, height: int = 860):
        from websockets.sync.client import connect

        self.failures: list[str] = []
        self.questions: list[str] = []
        self._loads = 0
        self._folder = Path(tempfile.mkdtemp(prefix="mugo-chromium-"))
        self._process = subprocess.Popen(
            [PROGRAM, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-background-networking",
             "--no-first-run", "--disable-component-update", "--disable-extensions", "--disable-dev-shm-usage",
             "--remote-debugging-port=0", f"--user-data-dir={self._folder}", "about:blank"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        port_file = self._folder / "DevToolsActivePort"
        wait_for(lambda: port_file.exists() and port_file.read_text().count("\n") >= 1, "Chromium to start", 30)
        port = port_file.read_text().split()[0]
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/json/list") as response:
            target = next(page for page in json.load(response) if page["type"] == "page")
        self._resources = contextlib.ExitStack()
        self._socket = self._resources.enter_context(connect(target["webSocketDebuggerUrl"], max_size=64 << 20))
        self._last_id = 0
        for domain in ("Page", "Runtime", "Log"):
            self.send(f"{domain}.enable")
        self.resize(width, height)

    def send(self, method: str, **params) -> dict:
        """Call a method of the protocol; returns its result."""
        self._last_id += 1
        self._socket.send(json.dumps({"id": self._last_id, "method": method, "params": params}))
        while True:
            message = json.loads(self._socket.recv(timeout=30))
            if message.get("id") == self._last_id:
                assert "error" not in message, f"{method}: {message['error']}"
                return message["result"]
            self._handle_event(message)

    def _handle_event(self, event: dict) -> None:
        params = event.get("params", {})
        if event.get("method") == "Page.javascriptDialogOpening":
            self.questions.append(params["type"])
            answer = {"id": 0, "method": "Page.handleJavaScriptDialog", "params": {"accept": True}}
            self._socket.send(json.dumps(answer))
        self._loads += event.get("method") == "Page.loadEventFired"
        if event.get("method") == "Runtime.exceptionThrown":
            self.failures.append(params["exceptionDetails"].get("exception", {}).get("description", str(params)))
        elif event.get("method") == "Log.entryAdded" and params["entry"]["level"] == "error":
            self.failures.append(f"{params['entry']['text']} {params['entry'].get('url', '')}")

    def open(self, url: str) -> None:
        self.send("Page.navigate", url=url)

    def open_anew(self, url: str) -> None:
        """Open the page of another server, which has a storage of its own, without what was emulated and noted."""
        self.send("Emulation.setEmulatedMedia", features=[])
        self.open(url)
        self.failures.clear()
        self.questions.clear()

    def reload(self) -> None:
        """Load the page again, and wait until it is loaded."""
        loads = self._loads
        self.send("Page.reload")
        while self._loads == loads:
            self._handle_event(json.loads(self._socket.recv(timeout=30)))

    def resize(self, width: int, height: int, scale: float = 1, touch: bool = False) -> None:
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale,
                  mobile=touch)
        self.send("Emulation.setTouchEmulationEnabled", enabled=touch)

    def prefer(self, scheme: str, forced_colors: bool = False) -> None:
        """scheme: 'dark' or 'light'.  forced_colors: as with a contrast theme of Windows.  Nothing moves."""
        self.send("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": scheme},
            {"name": "forced-colors", "value": "active" if forced_colors else "none"},
            {"name": "prefers-reduced-motion", "value": "reduce"}])

    def run(self, script: str):
        """The value of a JavaScript expression, promises awaited."""
        response = self.send("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in response, response["exceptionDetails"]
        return response["result"].get("value")

    def until(self, script: str, seconds: float = 15) -> None:
        """Wait until a JavaScript expression is true."""
        wait_for(lambda: self.run(f"Boolean({script})"), script, seconds)

    def click(self, x: float, y: float, while_pressed: str = "") -> None:
        """while_pressed: JavaScript that runs between press and release."""
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            if kind == "mouseReleased" and while_pressed:
                self.run(while_pressed)
            self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, clickCount=1,
                      button="none" if kind == "mouseMoved" else "left")

    def move(self, x: float, y: float) -> None:
        self.send("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def wheel(self, x: float, y: float, delta: float) -> None:
        self.send("Input.dispatchMouseEvent", type="mouseWheel", x=x, y=y, deltaX=0, deltaY=delta)

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
        self._resources.close()
        self._process.terminate()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        shutil.rmtree(self._folder, ignore_errors=True)


def wait_for(condition, description: str, seconds: float) -> None:
    """Wait until condition() is true; fails with the description."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"waited {seconds:g} seconds for: {description}"
        time.sleep(0.01)
