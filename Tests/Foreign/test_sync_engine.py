"""What CKSyncEngine writes, pyicloud's CloudKit client reads, and the reverse: one zone, two very different clients."""

import json
import os
import subprocess

import pytest
import requests
from conftest import CONTAINER
from pyicloud.common.cloudkit.client import CloudKitContainerClient
from pyicloud.common.cloudkit.models import (
    CKModifyOperation,
    CKTombstoneRecord,
    CKWriteRecord,
    CKZoneChangesZoneReq,
    CKZoneID,
    CKZoneIDReq,
)

ZONE = CKZoneIDReq(zoneName="Notes")


class Device:
    """An app with a CKSyncEngine. Each call is a launch of the app, which keeps its state in a file."""

    def __init__(self, cloud, account: str, directory):
        self.file = directory / "store"
        self.environment = os.environ | {
            "STRATUS_URL": cloud.url,
            "STRATUS_API_TOKEN": cloud.api_token,
            "STRATUS_WEB_AUTH_TOKEN": cloud.sign_in(account),
            "STRATUS_CONTAINER": CONTAINER,
            "STRATUS_CREDENTIALS": str(directory / "credentials"),
        }

    def _run(self, *arguments: str) -> dict:
        done = subprocess.run(
            [os.environ["SYNCED_DEVICE_PROGRAM"], str(self.file), *arguments],
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return json.loads(done.stdout)

    def send(self, *changes: str) -> dict:
        return self._run("send", *changes)

    def fetch(self) -> dict:
        return self._run("fetch")


@pytest.fixture
def account(request):
    """An account of the test's own, since the zone's name is the app's."""
    return request.node.name.replace("_", "-")


@pytest.fixture
def device(cloud, account, tmp_path):
    return Device(cloud, account, tmp_path)


@pytest.fixture
def client(cloud, account):
    return CloudKitContainerClient(
        cloud.base_url("private"), requests.Session(), cloud.parameters(account), validation_extra="allow"
    )


def changes(client, token=None):
    request = CKZoneChangesZoneReq(zoneID=CKZoneID(zoneName="Notes"), syncToken=token)
    pages = list(client.iter_changes(zone_req=request))
    return [record for page in pages for record in page.records], pages[-1].syncToken


def modify(client, kind, name, tag=None, fields=None):
    record = CKWriteRecord(recordName=name, recordType="Note", recordChangeTag=tag, fields=fields or {})
    operation = CKModifyOperation(operationType=kind, record=record)
    return client.modify(operations=[operation], zone_id=ZONE).records[0]


def title(text):
    return {"title": {"type": "STRING", "value": text}}


def test_pyicloud_reads_what_an_engine_wrote(client, device):
    device.send("a=Grüße", "b=second")
    records, token = changes(client)
    assert {record.recordName for record in records} == {"a", "b"}
    fields = next(record for record in records if record.recordName == "a").fields
    assert fields.get_value("title") == "Grüße"
    assert fields.get_value("length") == 5
    assert fields.get_value("tags") == ["swift", "foreign"]
    assert client.lookup(["a"], zone_id=ZONE).records[0].fields.get_value("title") == "Grüße"

    device.send("a=changed", "-b")
    records, _ = changes(client, token)
    by_name = {record.recordName: record for record in records}
    assert by_name["a"].fields.get_value("title") == "changed"
    assert by_name["b"].deleted is True or isinstance(by_name["b"], CKTombstoneRecord)


def test_an_engine_fetches_what_pyicloud_wrote(client, device):
    device.send("mine=first")
    fields = title("Grüße") | {
        "count": {"type": "INT64", "value": 3},
        "weight": {"type": "DOUBLE", "value": 0.5},
        "at": {"type": "TIMESTAMP", "value": 1_700_000_000_123},
        "raw": {"type": "BYTES", "value": "AAEC"},
        "tags": {"type": "STRING_LIST", "value": ["a", "b"]},
        "friend": {"type": "REFERENCE", "value": {"recordName": "mine", "action": "NONE"}},
    }
    modify(client, "create", "theirs", fields=fields)
    notes = device.fetch()
    assert notes["theirs"] == {
        "type": "Note",
        "title": "Grüße",
        "count": 3,
        "weight": 0.5,
        "at": 1_700_000_000_123,
        "raw": "AAEC",
        "tags": ["a", "b"],
        "friend": "mine",
    }
    assert notes["mine"]["title"] == "first"
    modify(client, "forceDelete", "theirs")
    assert "theirs" not in device.fetch()


def test_a_conflict_between_both_is_merged_and_neither_loses_its_field(client, device):
    device.send("a=first")
    record = client.lookup(["a"], zone_id=ZONE).records[0]
    modify(client, "update", "a", tag=record.recordChangeTag, fields={"author": {"type": "STRING", "value": "ada"}})
    device.send("a=second")
    merged = client.lookup(["a"], zone_id=ZONE).records[0].fields
    assert merged.get_value("title") == "second"
    assert merged.get_value("author") == "ada"
    assert device.fetch()["a"]["author"] == "ada"


def test_hundreds_of_records_cross_in_pages(client, device):
    device.send(*[f"note-{number}=title {number}" for number in range(450)])
    records, _ = changes(client)
    assert len({record.recordName for record in records}) == 450
    for number in range(450, 470):
        modify(client, "create", f"note-{number}", fields=title(f"title {number}"))
    notes = device.fetch()
    assert len(notes) == 470
    assert notes["note-469"]["title"] == "title 469"
