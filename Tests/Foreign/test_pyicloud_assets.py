"""pyicloud's CloudKit client sends files of records, and fetches them in one go and in pieces."""

import uuid

import pytest
from pyicloud.common.cloudkit.client import CloudKitApiError, CloudKitContainerClient
from pyicloud.common.cloudkit.models import CKModifyOperation, CKWriteRecord, CKZoneIDReq

PHOTO = bytes(range(256)) * 4000


@pytest.fixture
def client(secure_cloud):
    return CloudKitContainerClient(
        secure_cloud.base_url("private"),
        secure_cloud.session,
        secure_cloud.parameters("ada"),
        validation_extra="allow",
    )


@pytest.fixture
def zone(client):
    name = f"Zone-{uuid.uuid4()}"
    client.raw_post(
        "/zones/modify",
        {"operations": [{"operationType": "create", "zone": {"zoneID": {"zoneName": name}}}]},
    )
    return CKZoneIDReq(zoneName=name)


def save(client, zone, name, token):
    record = CKWriteRecord(
        recordName=name,
        recordType="Photo",
        fields={"image": {"type": "ASSETID", "value": token.model_dump(mode="json", exclude_none=True)}},
    )
    answer = client.modify(
        operations=[CKModifyOperation(operationType="create", record=record)], zone_id=zone, atomic=True
    )
    return answer.records[0]


def upload(client, zone, name, data=PHOTO):
    return client.upload_asset(
        record_type="Photo", field_name="image", record_name=name, data=data, zone_id=zone
    )


def test_a_file_goes_and_comes_back(client, zone):
    token = upload(client, zone, "p1")
    assert token.size == len(PHOTO)
    assert token.fileChecksum and token.wrappingKey and token.referenceChecksum
    save(client, zone, "p1", token)
    found = client.lookup(record_names=["p1"], zone_id=zone).records[0]
    image = found.fields["image"].value
    assert image.fileChecksum == token.fileChecksum
    assert "${f}" in image.downloadURL
    url = image.downloadURL.replace("${f}", "photo.jpg")
    assert client.download_asset_bytes(url) == PHOTO
    assert b"".join(client.download_asset_stream(url)) == PHOTO


def test_the_same_content_is_one_asset(client, zone):
    assert upload(client, zone, "p2").fileChecksum == upload(client, zone, "p3").fileChecksum


def test_a_made_up_descriptor_is_refused(client, zone):
    token = upload(client, zone, "p4", b"x")
    token.fileChecksum = "AQIDBAUGBwgJCgsMDQ4PEBESExQV"
    with pytest.raises(CloudKitApiError):
        save(client, zone, "p4", token)
