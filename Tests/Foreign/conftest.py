"""A cloud for each test module: `stratus dev` on a free port, in memory, ended when the module is done."""

import json
import os
import pathlib
import subprocess
import time

import pytest
import requests

CONTAINER = "iCloud.com.example.foreign"


class Cloud:
    def __init__(self, url: str, api_token: str):
        self.url = url
        self.api_token = api_token

    def base_url(self, database: str) -> str:
        return f"{self.url}/database/1/{CONTAINER}/development/{database}"

    def sign_in(self, account: str) -> str:
        """A web token; the emulator makes the account when it is first named."""
        answer = requests.post(
            f"{self.url}/stratus/session",
            json={"account": account, "password": "", "keepSignedIn": True},
            timeout=10,
        )
        answer.raise_for_status()
        return answer.json()["webAuthToken"]

    def parameters(self, account: str) -> dict[str, object]:
        return {"ckAPIToken": self.api_token, "ckWebAuthToken": self.sign_in(account)}


@pytest.fixture(scope="module")
def cloud(tmp_path_factory: pytest.TempPathFactory):
    directory = tmp_path_factory.mktemp("cloud")
    port_file = directory / "port"
    log = (directory / "log").open("w+")
    program = subprocess.Popen(
        [os.environ["STRATUS_PROGRAM"], "dev", "--port", "0", "--port-file", str(port_file)],
        stdout=log,
        stderr=subprocess.STDOUT,
    )
    try:
        port = wait_for_port(program, port_file, log)
        lines = pathlib.Path(log.name).read_text().splitlines()
        tokens = [line.split("STRATUS_API_TOKEN=")[1].strip().strip("'\"") for line in lines if "STRATUS_API_TOKEN=" in line]
        assert tokens, f"`stratus dev` does not say which API token to use:\n{lines}"
        yield Cloud(f"http://127.0.0.1:{port}", tokens[0])
    finally:
        program.terminate()
        program.wait(timeout=30)


class SecureCloud(Cloud):
    """`stratus serve` over HTTPS, which pyicloud wants before it sends a file."""

    def __init__(self, url: str, api_token: str, certificate: pathlib.Path):
        super().__init__(url, api_token)
        self.session = requests.Session()
        # The environment may name certificates of its own, which would win.
        self.session.trust_env = False
        self.session.verify = str(certificate)

    def sign_in(self, account: str) -> str:
        answer = self.session.post(
            f"{self.url}/stratus/session", json={"account": account, "password": PASSWORD}, timeout=10
        )
        answer.raise_for_status()
        return answer.json()["webAuthToken"]


PASSWORD = "correct horse"


@pytest.fixture(scope="module")
def secure_cloud(tmp_path_factory: pytest.TempPathFactory):
    directory = tmp_path_factory.mktemp("secure-cloud")
    certificate, key = directory / "cloud.pem", directory / "cloud.key"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
         "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost", "-keyout", str(key), "-out", str(certificate)],
        check=True, capture_output=True,
    )
    data = ["--data", str(directory / "data")]

    def stratus(*arguments: str, **options) -> str:
        return subprocess.run(
            [os.environ["STRATUS_PROGRAM"], *arguments, *data], check=True, capture_output=True, text=True, **options
        ).stdout

    port_file = directory / "port"
    log = (directory / "log").open("w+")
    program = subprocess.Popen(
        [os.environ["STRATUS_PROGRAM"], "serve", "--port", "0", "--port-file", str(port_file),
         "--certificate", str(certificate), "--key", str(key), *data],
        stdout=log, stderr=subprocess.STDOUT,
    )
    try:
        port = wait_for_port(program, port_file, log)
        stratus("account", "create", "ada", "--password-stdin", input=PASSWORD + "\n")
        stratus("container", "create", CONTAINER)
        token = json.loads(stratus("token", "create", CONTAINER, "--json"))["token"]
        yield SecureCloud(f"https://127.0.0.1:{port}", token, certificate)
    finally:
        program.terminate()
        program.wait(timeout=30)


def wait_for_port(program: subprocess.Popen, port_file: pathlib.Path, log) -> int:
    """The port is in the file as soon as the cloud answers."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        if port_file.exists() and port_file.read_text().strip():
            return int(port_file.read_text())
        if program.poll() is not None:
            break
        time.sleep(0.01)
    log.seek(0)
    raise AssertionError(f"`stratus dev` did not start:\n{log.read()}")
