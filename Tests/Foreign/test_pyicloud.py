"""pyicloud's CloudKit client, with its strict models, does its zone, record, query and change calls."""

import uuid

import pytest
import requests
from pyicloud.common.cloudkit.client import (
    CloudKitApiError,
    CloudKitAuthError,
    CloudKitContainerClient,
)
from pyicloud.common.cloudkit.models import (
    CKModifyOperation,
    CKQueryFilterBy,
    CKQueryObject,
    CKQuerySortBy,
    CKTombstoneRecord,
    CKWriteRecord,
    CKZoneChangesZoneReq,
    CKZoneID,
    CKZoneIDReq,
)

FIELDS = {
    "title": {"type": "STRING", "value": "Grüße"},
    "count": {"type": "INT64", "value": 3},
    "weight": {"type": "DOUBLE", "value": 0.5},
    "at": {"type": "TIMESTAMP", "value": 1_700_000_000_123},
    "raw": {"type": "BYTES", "value": "AAEC"},
    "tags": {"type": "STRING_LIST", "value": ["a", "b"]},
    "friend": {"type": "REFERENCE", "value": {"recordName": "somebody", "action": "NONE"}},
}


@pytest.fixture
def client(cloud):
    return CloudKitContainerClient(
        cloud.base_url("private"), requests.Session(), cloud.parameters("ada"), validation_extra="allow"
    )


@pytest.fixture
def zone(client):
    """A zone of the test's own, made with a raw call, since the client has none for it."""
    name = f"Zone-{uuid.uuid4()}"
    answer = client.raw_post(
        "/zones/modify",
        {"operations": [{"operationType": "create", "zone": {"zoneID": {"zoneName": name}}}]},
    )
    assert answer["zones"][0]["zoneID"]["zoneName"] == name
    return CKZoneIDReq(zoneName=name)


def operation(kind, name, record_type="Note", tag=None, fields=None):
    return CKModifyOperation(
        operationType=kind,
        record=CKWriteRecord(recordName=name, recordType=record_type, recordChangeTag=tag, fields=fields or {}),
    )


def save(client, zone, name, fields=None):
    return client.modify(operations=[operation("create", name, fields=fields or FIELDS)], zone_id=zone).records[0]


def test_a_saved_record_is_looked_up_with_every_value(client, zone):
    saved = save(client, zone, "note-1")
    assert saved.recordChangeTag
    assert saved.created.timestamp is not None
    found = client.lookup(["note-1", "missing"], zone_id=zone).records
    assert found[0].recordName == "note-1"
    assert found[0].deleted is False
    for key in ("title", "count", "weight", "tags"):
        assert found[0].fields.get_value(key) == FIELDS[key]["value"]
    assert bytes(found[0].fields.get_value("raw")) in (b"\x00\x01\x02", b"AAEC")
    assert found[0].fields.get_value("friend").recordName == "somebody"
    assert found[1].serverErrorCode == "NOT_FOUND"
    assert found[1].reason == "Record not found"


def test_desired_keys_limit_what_a_lookup_returns(client, zone):
    save(client, zone, "note-1")
    found = client.lookup(["note-1"], zone_id=zone, desired_keys=["title"]).records[0]
    assert list(found.fields.keys()) == ["title"]


def test_an_update_with_the_tag_succeeds_and_a_stale_one_conflicts(client, zone):
    first = save(client, zone, "note-1")
    changed = {"title": {"type": "STRING", "value": "changed"}}
    second = client.modify(
        operations=[operation("update", "note-1", tag=first.recordChangeTag, fields=changed)], zone_id=zone
    ).records[0]
    assert second.recordChangeTag != first.recordChangeTag
    assert second.fields.get_value("count") == 3
    with pytest.raises(CloudKitApiError, match="CONFLICT"):
        client.modify(
            operations=[operation("update", "note-1", tag=first.recordChangeTag, fields=changed)], zone_id=zone
        )


def test_an_atomic_batch_is_all_or_nothing(client, zone):
    save(client, zone, "taken")
    with pytest.raises(CloudKitApiError, match="ATOMIC_ERROR"):
        client.modify(
            operations=[operation("create", "new", fields=FIELDS), operation("create", "taken", fields=FIELDS)],
            zone_id=zone,
            atomic=True,
        )
    assert client.lookup(["new"], zone_id=zone).records[0].serverErrorCode == "NOT_FOUND"


def test_zones_are_listed_with_the_default_one(client, zone):
    zones = {entry.zoneID.zoneName: entry for entry in client.zones_list().zones}
    assert "_defaultZone" in zones
    assert zones[zone.zoneName].syncToken


def test_changes_come_in_pages_and_end_with_tombstones(client, zone):
    for number in range(7):
        save(client, zone, f"note-{number}")
    request = CKZoneChangesZoneReq(zoneID=CKZoneID(zoneName=zone.zoneName))
    pages = list(client.iter_changes(zone_req=request, results_limit=3))
    assert [record.recordName for page in pages for record in page.records] == [f"note-{number}" for number in range(7)]
    token = pages[-1].syncToken

    caught_up = client.changes(zone_req=CKZoneChangesZoneReq(zoneID=CKZoneID(zoneName=zone.zoneName), syncToken=token))
    assert caught_up.zones[0].records == []
    assert caught_up.zones[0].syncToken == token

    client.modify(operations=[operation("forceDelete", "note-3")], zone_id=zone)
    after = client.changes(zone_req=CKZoneChangesZoneReq(zoneID=CKZoneID(zoneName=zone.zoneName), syncToken=token))
    (gone,) = after.zones[0].records
    assert gone.recordName == "note-3"
    assert gone.deleted is True or isinstance(gone, CKTombstoneRecord)


def test_database_changes_tell_new_and_deleted_zones(client, zone):
    before = client.database_changes()
    assert zone.zoneName in {entry.zoneID.zoneName for entry in before.zones}
    assert client.database_changes(sync_token=before.syncToken).zones == []
    save(client, zone, "note-1")
    changed = client.database_changes(sync_token=before.syncToken)
    assert [entry.zoneID.zoneName for entry in changed.zones] == [zone.zoneName]
    client.raw_post(
        "/zones/modify",
        {"operations": [{"operationType": "delete", "zone": {"zoneID": {"zoneName": zone.zoneName}}}]},
    )
    (deleted,) = client.database_changes(sync_token=changed.syncToken).zones
    assert deleted.zoneID.zoneName == zone.zoneName
    assert deleted.deleted is True


def test_a_query_filters_sorts_and_continues(client, zone):
    for number in range(10):
        save(client, zone, f"n-{number}", {"count": {"type": "INT64", "value": number}})
    query = CKQueryObject(
        recordType="Note",
        filterBy=[
            CKQueryFilterBy.model_validate({
                "comparator": "GREATER_THAN",
                "fieldName": "count",
                "fieldValue": {"value": 2, "type": "INT64"},
            })
        ],
        sortBy=[CKQuerySortBy(fieldName="count", ascending=False)],
    )
    counts = []
    marker = None
    while True:
        page = client.query(query=query, zone_id=zone, results_limit=3, continuation=marker)
        counts += [record.fields.get_value("count") for record in page.records]
        marker = page.continuationMarker
        if marker is None:
            break
    assert counts == [9, 8, 7, 6, 5, 4, 3]


def test_a_sync_token_comes_with_a_query_and_is_good_for_changes(cloud, zone):
    client = CloudKitContainerClient(
        cloud.base_url("private"),
        requests.Session(),
        {**cloud.parameters("ada"), "getCurrentSyncToken": True},
        bool_param_style="lower",
    )
    save(client, zone, "note-1")
    token = client.query_sync_token(query=CKQueryObject(recordType="Note"), zone_id=zone, results_limit=2)
    assert token
    changes = client.changes(zone_req=CKZoneChangesZoneReq(zoneID=CKZoneID(zoneName=zone.zoneName), syncToken=token))
    assert changes.zones[0].records == []


def test_a_zone_that_is_not_there_is_said_so(client):
    with pytest.raises(CloudKitApiError, match="ZONE_NOT_FOUND"):
        client.changes(zone_req=CKZoneChangesZoneReq(zoneID=CKZoneID(zoneName="Nowhere")))


def test_accounts_do_not_see_each_other(cloud, client, zone):
    save(client, zone, "secret")
    other = CloudKitContainerClient(cloud.base_url("private"), requests.Session(), cloud.parameters("grace"))
    assert zone.zoneName not in {entry.zoneID.zoneName for entry in other.zones_list().zones}


def test_without_a_good_token_nothing_is_served(cloud):
    client = CloudKitContainerClient(
        cloud.base_url("private"), requests.Session(), {"ckAPIToken": cloud.api_token, "ckWebAuthToken": "nonsense"}
    )
    with pytest.raises((CloudKitAuthError, CloudKitApiError)):
        client.zones_list()


def test_nobody_signed_in_is_asked_to_sign_in(cloud):
    answer = requests.get(f"{cloud.base_url('public')}/users/caller", params={"ckAPIToken": cloud.api_token}, timeout=10)
    assert answer.status_code == 421
    body = answer.json()
    assert body["serverErrorCode"] == "AUTHENTICATION_REQUIRED"
    assert body["redirectURL"].startswith("http")
