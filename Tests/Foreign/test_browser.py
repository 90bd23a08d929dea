"""The sign-in and account pages in a real browser: headless Chromium, driven over WebDriver by chromedriver."""

import http.server
import os
import shutil
import subprocess
import threading
import time

import pytest
import requests

from conftest import CONTAINER

pytestmark = pytest.mark.skipif(shutil.which("chromedriver") is None, reason="chromedriver is not installed")

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"


class Browser:
    """The few commands of WebDriver that these tests need (https://www.w3.org/TR/webdriver/)."""

    def __init__(self, driver: str, scripts: bool):
        arguments = ["--headless=new", "--disable-gpu", "--disable-dev-shm-usage"]
        if os.geteuid() == 0:
            arguments.append("--no-sandbox")
        options: dict = {"args": arguments}
        if not scripts:
            options["prefs"] = {"profile.managed_default_content_settings.javascript": 2}
        answer = requests.post(
            f"{driver}/session",
            json={"capabilities": {"alwaysMatch": {"browserName": "chrome", "goog:chromeOptions": options}}},
            timeout=60,
        ).json()
        assert "sessionId" in answer["value"], answer
        self.root = f"{driver}/session/{answer['value']['sessionId']}"
        self.call("POST", "/timeouts", {"implicit": 10000})

    def call(self, method: str, path: str, body: dict | None = None):
        answer = requests.request(method, self.root + path, json=body if method == "POST" else None, timeout=60)
        value = answer.json()["value"]
        assert answer.ok, value
        return value

    def open(self, url: str):
        self.call("POST", "/url", {"url": url})

    @property
    def url(self) -> str:
        return self.call("GET", "/url")

    def find(self, selector: str) -> str:
        return self.call("POST", "/element", {"using": "css selector", "value": selector})[ELEMENT]

    def text(self, selector: str) -> str:
        return self.call("GET", f"/element/{self.find(selector)}/text")

    def click(self, selector: str):
        self.call("POST", f"/element/{self.find(selector)}/click", {})

    def type(self, selector: str, text: str):
        self.call("POST", f"/element/{self.find(selector)}/value", {"text": text})

    def windows(self) -> list[str]:
        return self.call("GET", "/window/handles")

    def switch(self, window: str):
        self.call("POST", "/window", {"handle": window})

    def until(self, what: str, condition):
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            if found := condition():
                return found
            time.sleep(0.02)
        raise AssertionError(f"waited in vain for {what}; at {self.url}")

    def sign_in(self, account: str, password: str = "x"):
        self.type("input[name=account]", account)
        self.type("input[name=password]", password)
        self.click("button")

    def close(self):
        requests.delete(self.root, timeout=60)


@pytest.fixture(scope="module")
def driver():
    program = subprocess.Popen(
        ["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    try:
        port = next(
            (line.rstrip(".\n").split()[-1] for line in program.stdout if "started successfully on port" in line), None
        )
        assert port, "chromedriver did not start"
        # What it says later must not fill the pipe.
        threading.Thread(target=program.stdout.read, daemon=True).start()
        yield f"http://127.0.0.1:{port}"
    finally:
        program.terminate()
        program.wait(timeout=30)


@pytest.fixture(params=[True, False], ids=["scripts", "no-scripts"])
def any_browser(driver, request):
    browser = Browser(driver, request.param)
    browser.open("data:text/html,<title>off</title><script>document.title='on'</script>")
    assert browser.call("GET", "/title") == ("on" if request.param else "off")
    yield browser
    browser.close()


@pytest.fixture
def browser(driver):
    browser = Browser(driver, True)
    yield browser
    browser.close()


class App(http.server.BaseHTTPRequestHandler):
    """An app's page, which opens the address behind the mark and shows what it is told."""

    def do_GET(self):
        page = b"""<!doctype html><title>App</title><a href="#">Sign in</a><output id="token"></output>
            <script>
            const messages = [];
            addEventListener("message", (event) => {
              messages.push(event.data);
              document.getElementById("token").textContent =
                messages.length + " " + (event.data.ckWebAuthToken === event.data.ckSession) + " " + event.data.ckWebAuthToken;
            });
            document.querySelector("a").onclick = () => window.open(decodeURIComponent(location.hash.slice(1)));
            </script>"""
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(page)

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def app():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), App)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


class Served:
    """`stratus serve` on a folder, with an account and API tokens as an operator makes them."""

    def __init__(self, folder):
        self.folder = folder
        self.stratus("account", "create", "anna", "--password", "secret")
        self.stratus("container", "create", CONTAINER)
        port_file = folder / "port"
        self.program = subprocess.Popen(
            [os.environ["STRATUS_PROGRAM"], "serve", "--data", folder / "data", "--port", "0", "--port-file", port_file],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + 30
        while not (port_file.exists() and port_file.read_text().strip()):
            assert self.program.poll() is None and time.monotonic() < deadline, "`stratus serve` did not start"
            time.sleep(0.01)
        self.url = f"http://127.0.0.1:{port_file.read_text().strip()}"

    def stratus(self, *arguments: str) -> str:
        command = [os.environ["STRATUS_PROGRAM"], *arguments, "--data", str(self.folder / "data")]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    def sign_in_page(self, token: str) -> str:
        answer = requests.get(self.caller(token), timeout=10)
        assert answer.status_code == 421
        return answer.json()["redirectURL"]

    def caller(self, token: str) -> str:
        return f"{self.url}/database/1/{CONTAINER}/development/public/users/caller?ckAPIToken={token}"


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    served = Served(tmp_path_factory.mktemp("served"))
    yield served
    served.program.terminate()
    served.program.wait(timeout=30)


def test_redirect(any_browser, served, app):
    token = served.stratus("token", "create", CONTAINER, "--callback", f"{app}/in?from=here#top")
    any_browser.open(served.sign_in_page(token))
    any_browser.sign_in("anna", "wrong")
    assert "wrong" in any_browser.text("[role=alert]")
    any_browser.sign_in("anna", "secret")
    any_browser.until("the app's page", lambda: any_browser.url.startswith(app))
    address, fragment = any_browser.url.split("#")
    assert fragment == "top"
    parameters = dict(pair.split("=", 1) for pair in address.split("?")[1].split("&"))
    assert parameters["from"] == "here"
    assert parameters["ckWebAuthToken"] == parameters["ckSession"]
    assert requests.get(f"{served.caller(token)}&ckWebAuthToken={parameters['ckSession']}", timeout=10).status_code == 200


def test_message(browser, served, app):
    token = served.stratus("token", "create", CONTAINER, "--origins", app)
    browser.open(f"{app}/#{requests.utils.quote(served.sign_in_page(token), safe='')}")
    mine = browser.windows()[0]
    browser.click("a")
    browser.switch(browser.until("the sign-in", lambda: [each for each in browser.windows() if each != mine])[0])
    browser.sign_in("anna", "secret")
    browser.until("its end", lambda: browser.windows() == [mine])
    browser.switch(mine)
    count, same, web_token = browser.until("the message", lambda: browser.text("#token")).split()
    assert (count, same) == ("1", "true")
    answer = requests.get(served.caller(token), params={"ckWebAuthToken": web_token}, timeout=10)
    assert answer.status_code == 200


def test_message_to_nobody(browser, served, app):
    """A page that the API token does not name opens the sign-in, and is told nothing."""
    token = served.stratus("token", "create", CONTAINER)
    browser.open(f"{app}/#{requests.utils.quote(served.sign_in_page(token), safe='')}")
    mine = browser.windows()[0]
    browser.click("a")
    browser.switch(browser.until("the sign-in", lambda: [each for each in browser.windows() if each != mine])[0])
    browser.sign_in("anna", "secret")
    browser.until("its end", lambda: browser.windows() == [mine])
    browser.switch(mine)
    # A message of its own comes after any that was sent before.
    browser.call("POST", "/execute/sync", {"script": "postMessage({ckWebAuthToken: 'own', ckSession: 'own'})", "args": []})
    assert browser.until("its own message", lambda: browser.text("#token")) == "1 true own"


def test_account(any_browser, cloud):
    name = f"person-{time.monotonic_ns()}"
    answer = requests.post(
        f"{cloud.base_url('private')}/records/modify",
        params=cloud.parameters(name),
        json={"operations": [{"operationType": "create", "record": {"recordName": "a", "recordType": "Note"}}]},
        timeout=10,
    )
    assert answer.status_code == 200
    any_browser.open(f"{cloud.url}/stratus/account")
    any_browser.type("input[name=account]", name)
    any_browser.click("button")
    assert CONTAINER in any_browser.text("#data")
    any_browser.click("#data a")
    any_browser.click("input[name=confirmed]")
    any_browser.click("button")
    assert "erased" in any_browser.text("[role=status]")
    found = requests.post(
        f"{cloud.base_url('private')}/records/lookup",
        params=cloud.parameters(name),
        json={"records": [{"recordName": "a"}]},
        timeout=10,
    )
    assert found.json()["records"][0]["serverErrorCode"] == "NOT_FOUND"
    any_browser.type("#password input[name=new]", "better")
    any_browser.type("#password input[name=again]", "better")
    any_browser.click("#password button")
    assert "password is changed" in any_browser.text("[role=status]")
    any_browser.click("#sign-out-everywhere button")
    any_browser.find("#sign-in")
    any_browser.sign_in(name, "better")
    assert name in any_browser.text("main")
