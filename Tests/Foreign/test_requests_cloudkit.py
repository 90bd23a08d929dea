"""requests-cloudkit signs requests with a server-to-server key, and the cloud lets it into the public database.

The package is of Python 2's time, when text was bytes; what it signs and which headers it sends are its own.
"""

import base64
import hashlib
import io
import json
import os
import subprocess
import types

import ecdsa
import pytest
import requests
import requests_cloudkit.cloudkit as library
from conftest import CONTAINER, wait_for_port


class TextFile(io.BytesIO):
    def write(self, text):
        return super().write(text.encode() if isinstance(text, str) else text)


@pytest.fixture(autouse=True)
def python2(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(library.tempfile, "NamedTemporaryFile", TextFile)
    monkeypatch.setattr(
        library, "hashlib",
        types.SimpleNamespace(
            sha256=lambda content=b"": hashlib.sha256(content.encode() if isinstance(content, str) else content)),
    )
    monkeypatch.setattr(
        library, "base64", types.SimpleNamespace(b64encode=lambda content: base64.b64encode(content).decode()))


@pytest.fixture(scope="module")
def signed(tmp_path_factory: pytest.TempPathFactory):
    """The address of a public database, and what signs requests to it."""
    folder = tmp_path_factory.mktemp("signed")
    program, data = os.environ["STRATUS_PROGRAM"], str(folder / "data")
    key = ecdsa.SigningKey.generate(curve=ecdsa.NIST256p)
    (folder / "private.pem").write_bytes(key.to_pem())
    (folder / "public.pem").write_bytes(key.get_verifying_key().to_pem())
    subprocess.run([program, "container", "create", CONTAINER, "--data", data], check=True, capture_output=True)
    created = subprocess.run(
        [program, "key", "create", CONTAINER, str(folder / "public.pem"), "--data", data],
        check=True, capture_output=True, text=True)
    log = (folder / "log").open("w+")
    server = subprocess.Popen(
        [program, "serve", "--data", data, "--port", "0", "--port-file", str(folder / "port")],
        stdout=log, stderr=subprocess.STDOUT)
    try:
        port = wait_for_port(server, folder / "port", log)
        auth = library.CloudKitAuth(created.stdout.strip(), str(folder / "private.pem"))
        yield f"http://127.0.0.1:{port}/database/1/{CONTAINER}/development", auth
    finally:
        server.terminate()
        server.wait(timeout=30)


def operation(name: str) -> str:
    fields = {"title": {"value": "Grüße"}}
    record = {"recordName": name, "recordType": "Note", "fields": fields}
    return json.dumps({"operations": [{"operationType": "create", "record": record}]})


def test_saves_and_looks_up(signed):
    root, auth = signed
    saved = requests.post(f"{root}/public/records/modify", data=operation("a"), auth=auth, timeout=10)
    assert saved.status_code == 200, saved.text
    record = saved.json()["records"][0]
    assert record["created"]["userRecordName"].startswith("_")
    body = json.dumps({"records": [{"recordName": "a"}]})
    found = requests.post(f"{root}/public/records/lookup?a=b%2Fc", data=body, auth=auth, timeout=10)
    assert found.json()["records"][0]["fields"]["title"]["value"] == "Grüße"
    assert requests.get(f"{root}/public/zones/list", auth=auth, timeout=10).status_code == 200


def test_is_refused_elsewhere(signed):
    root, auth = signed
    for path in ["private/records/modify", "shared/records/modify"]:
        answer = requests.post(f"{root}/{path}", data=operation("b"), auth=auth, timeout=10)
        assert answer.status_code == 401
        assert answer.json()["serverErrorCode"] == "AUTHENTICATION_FAILED"
    assert requests.get(f"{root}/public/users/caller", auth=auth, timeout=10).status_code == 401


def test_another_key_is_refused(signed, tmp_path):
    root, auth = signed
    (tmp_path / "other.pem").write_bytes(ecdsa.SigningKey.generate(curve=ecdsa.NIST256p).to_pem())
    other = library.CloudKitAuth(auth.key_id, str(tmp_path / "other.pem"))
    answer = requests.post(f"{root}/public/records/modify", data=operation("c"), auth=other, timeout=10)
    assert answer.status_code == 401
