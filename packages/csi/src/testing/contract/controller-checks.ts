import { describe, expect, test } from "vitest";
import type { MakeSubject } from "./driver-subject.ts";
import {
  attached,
  aVolumeRequest,
  createdVolume,
  expectRefusal,
  mebibyte,
  severalWriters,
  unknownId,
  writer,
} from "./requests.ts";

export function describeControllerChecks(make: MakeSubject): void {
  describeCreation(make);
  describeAttachment(make);
  describeLists(make);
  describeExpansion(make);
}

function describeCreation(make: MakeSubject): void {
  describe("CreateVolume and DeleteVolume", () => {
    test.each([
      ["no name", aVolumeRequest("")],
      ["no capabilities", aVolumeRequest("a", { volumeCapabilities: [] })],
      ["a name of 129 bytes", aVolumeRequest("a".repeat(129))],
      [
        "a capability without an access type",
        aVolumeRequest("a", { volumeCapabilities: [{ accessMode: { mode: "SINGLE_NODE_WRITER" } }] }),
      ],
      ["writers on several nodes", aVolumeRequest("a", { volumeCapabilities: [severalWriters] })],
    ])("a request with %s is refused", async (_, request) => {
      await using subject = await make();
      await expectRefusal(subject.driver.createVolume(request), "INVALID_ARGUMENT");
    });

    test("a volume is at least as large as required, even with the longest name", async () => {
      await using subject = await make();
      const volume = await createdVolume(subject.driver, "a".repeat(128));
      expect(volume.volumeId).not.toBe("");
      expect(volume.capacityBytes).toBeGreaterThanOrEqual(16 * mebibyte);
    });

    test("a repeated request returns the same volume", async () => {
      await using subject = await make();
      const first = await createdVolume(subject.driver, "data");
      expect(await createdVolume(subject.driver, "data")).toEqual(first);
    });

    test("the same name with another size is rejected", async () => {
      await using subject = await make();
      await createdVolume(subject.driver, "data");
      const larger = aVolumeRequest("data", { capacityRange: { requiredBytes: 32 * mebibyte, limitBytes: 0 } });
      await expectRefusal(subject.driver.createVolume(larger), "ALREADY_EXISTS");
    });

    test.each([
      ["larger than any disk", { requiredBytes: 2 ** 52, limitBytes: 0 }],
      ["larger than its limit", { requiredBytes: 2 * mebibyte, limitBytes: mebibyte }],
    ])("a size %s is out of range", async (_, capacityRange) => {
      await using subject = await make();
      await expectRefusal(subject.driver.createVolume(aVolumeRequest("a", { capacityRange })), "OUT_OF_RANGE");
    });

    test.each([
      ["snapshot", { snapshot: { snapshotId: "none" } }],
      ["volume", { volume: { volumeId: unknownId } }],
    ])("a volume from a %s that does not exist is refused", async (_, volumeContentSource) => {
      await using subject = await make();
      await expectRefusal(subject.driver.createVolume(aVolumeRequest("a", { volumeContentSource })), "NOT_FOUND");
    });

    test("a deleted volume does not exist, and deleting it again succeeds", async () => {
      await using subject = await make();
      const { volumeId } = await createdVolume(subject.driver, "data");
      await subject.driver.deleteVolume({ volumeId });
      await subject.driver.deleteVolume({ volumeId });
      const { entries } = await subject.driver.listVolumes({ maxEntries: 0, startingToken: "" });
      expect(entries).toEqual([]);
      await expectRefusal(subject.driver.deleteVolume({ volumeId: "" }), "INVALID_ARGUMENT");
    });

    test("an ID that leaves the driver's directory deletes nothing", async () => {
      await using subject = await make();
      await createdVolume(subject.driver, "data");
      for (const volumeId of ["..", "../..", ".", "__proto__"]) await subject.driver.deleteVolume({ volumeId });
      expect((await subject.driver.listVolumes({ maxEntries: 0, startingToken: "" })).entries).toHaveLength(1);
    });
  });
}

function describeAttachment(make: MakeSubject): void {
  describe("ControllerPublishVolume and ControllerUnpublishVolume", () => {
    test("a call with missing arguments is rejected", async () => {
      await using subject = await make();
      const { driver, nodeId } = subject;
      const request = { volumeId: unknownId, nodeId, volumeCapability: writer, readonly: false };
      await expectRefusal(driver.controllerPublishVolume({ ...request, volumeId: "" }), "INVALID_ARGUMENT");
      await expectRefusal(driver.controllerPublishVolume({ ...request, nodeId: "" }), "INVALID_ARGUMENT");
      const { volumeCapability: _, ...without } = request;
      await expectRefusal(driver.controllerPublishVolume(without), "INVALID_ARGUMENT");
      await expectRefusal(driver.controllerUnpublishVolume({ volumeId: "", nodeId }), "INVALID_ARGUMENT");
    });

    test("a volume or node that does not exist is rejected", async () => {
      await using subject = await make();
      const { driver, nodeId } = subject;
      await expectRefusal(attached(driver, unknownId, nodeId), "NOT_FOUND");
      const { volumeId } = await createdVolume(driver, "data");
      await expectRefusal(attached(driver, volumeId, "no-node"), "NOT_FOUND");
    });

    test("a volume is attached to one node at a time", async () => {
      await using subject = await make();
      const { driver, nodeId, otherNodeId } = subject;
      const { volumeId } = await createdVolume(driver, "data");
      await attached(driver, volumeId, nodeId);
      await attached(driver, volumeId, nodeId);
      await expectRefusal(attached(driver, volumeId, otherNodeId), "FAILED_PRECONDITION");
      const readonly = { volumeId, nodeId, volumeCapability: writer, readonly: true };
      await expectRefusal(driver.controllerPublishVolume(readonly), "ALREADY_EXISTS");
      await driver.controllerUnpublishVolume({ volumeId, nodeId });
      await attached(driver, volumeId, otherNodeId);
    });

    test("a repeated detachment succeeds, and keeps another node's attachment", async () => {
      await using subject = await make();
      const { driver, nodeId, otherNodeId } = subject;
      const { volumeId } = await createdVolume(driver, "data");
      await driver.controllerUnpublishVolume({ volumeId, nodeId });
      await driver.controllerUnpublishVolume({ volumeId: unknownId, nodeId });
      await attached(driver, volumeId, nodeId);
      await driver.controllerUnpublishVolume({ volumeId, nodeId: otherNodeId });
      await expectRefusal(attached(driver, volumeId, otherNodeId), "FAILED_PRECONDITION");
      await driver.controllerUnpublishVolume({ volumeId, nodeId: "" });
      await attached(driver, volumeId, otherNodeId);
    });

    test("a node never gets more volumes than its limit", async () => {
      await using subject = await make();
      const { driver, nodeId } = subject;
      const { maxVolumesPerNode } = await driver.nodeGetInfo({});
      expect(maxVolumesPerNode).toBeGreaterThan(0);
      for (let count = 0; count < maxVolumesPerNode; count++) {
        const { volumeId } = await createdVolume(driver, `v${count}`);
        await attached(driver, volumeId, nodeId);
      }
      const { volumeId } = await createdVolume(driver, "one-more");
      await expectRefusal(attached(driver, volumeId, nodeId), "RESOURCE_EXHAUSTED");
      await driver.controllerUnpublishVolume({ volumeId, nodeId });
    });

    test("a volume is detached from a node that does not exist", async () => {
      await using subject = await make();
      const { volumeId } = await createdVolume(subject.driver, "data");
      expect(await subject.driver.controllerUnpublishVolume({ volumeId, nodeId: "no-node" })).toEqual({});
    });

    test("an attached volume is not deleted", async () => {
      await using subject = await make();
      const { driver, nodeId } = subject;
      const { volumeId } = await createdVolume(driver, "data");
      await attached(driver, volumeId, nodeId);
      await expectRefusal(driver.deleteVolume({ volumeId }), "FAILED_PRECONDITION");
    });
  });
}

function describeLists(make: MakeSubject): void {
  describe("ValidateVolumeCapabilities, ListVolumes and GetCapacity", () => {
    test("supported capabilities are confirmed and others are not", async () => {
      await using subject = await make();
      const { driver } = subject;
      const { volumeId } = await createdVolume(driver, "data");
      const confirmed = await driver.validateVolumeCapabilities({ volumeId, volumeCapabilities: [writer] });
      expect(confirmed.confirmed?.volumeCapabilities).toMatchObject([writer]);
      const refused = await driver.validateVolumeCapabilities({ volumeId, volumeCapabilities: [severalWriters] });
      expect(refused.confirmed).toBeUndefined();
      expect(refused.message).not.toBe("");
    });

    test("the request needs an ID, capabilities and a volume", async () => {
      await using subject = await make();
      const { driver } = subject;
      const of = (volumeId: string, volumeCapabilities = [writer]) =>
        driver.validateVolumeCapabilities({ volumeId, volumeCapabilities });
      await expectRefusal(of(""), "INVALID_ARGUMENT");
      await expectRefusal(of(unknownId, []), "INVALID_ARGUMENT");
      await expectRefusal(of(unknownId), "NOT_FOUND");
    });

    test("pages contain every volume once, and show its node", async () => {
      await using subject = await make();
      const { driver, nodeId } = subject;
      const created = [];
      for (const name of ["a", "b", "c"]) created.push((await createdVolume(driver, name)).volumeId);
      await attached(driver, created[1] ?? "", nodeId);
      const seen: [string, readonly string[]][] = [];
      let startingToken = "";
      do {
        const { entries, nextToken } = await driver.listVolumes({ maxEntries: 2, startingToken });
        expect(entries.length).toBeLessThanOrEqual(2);
        for (const { volume, status } of entries) seen.push([volume?.volumeId ?? "", status?.publishedNodeIds ?? []]);
        startingToken = nextToken;
      } while (startingToken !== "");
      expect(seen).toEqual(created.map((id, index) => [id, index === 1 ? [nodeId] : []]));
      await expectRefusal(driver.listVolumes({ maxEntries: 0, startingToken: "invalid" }), "ABORTED");
    });

    test("a paged list continues when volumes are created and deleted", async () => {
      await using subject = await make();
      const { driver } = subject;
      for (const name of ["a", "b", "c"]) await createdVolume(driver, name);
      const first = await driver.listVolumes({ maxEntries: 1, startingToken: "" });
      const { volumeId } = await createdVolume(driver, "d");
      const { entries } = await driver.listVolumes({ maxEntries: 0, startingToken: first.nextToken });
      expect(entries.map(({ volume }) => volume?.volumeId)).toContain(volumeId);
      await driver.deleteVolume({ volumeId });
      expect((await driver.listVolumes({ maxEntries: 0, startingToken: "" })).entries).toHaveLength(3);
    });

    test("each volume reduces the capacity", async () => {
      await using subject = await make();
      const { driver } = subject;
      const { availableCapacity: before } = await driver.getCapacity({});
      const { capacityBytes } = await createdVolume(driver, "data");
      expect((await driver.getCapacity({})).availableCapacity).toBe(before - capacityBytes);
    });
  });
}

function describeExpansion(make: MakeSubject): void {
  describe("ControllerExpandVolume", () => {
    test("the request needs an ID, a range and a volume", async () => {
      await using subject = await make();
      const { driver } = subject;
      const capacityRange = { requiredBytes: 32 * mebibyte, limitBytes: 0 };
      await expectRefusal(driver.controllerExpandVolume({ volumeId: "", capacityRange }), "INVALID_ARGUMENT");
      await expectRefusal(driver.controllerExpandVolume({ volumeId: unknownId }), "INVALID_ARGUMENT");
      await expectRefusal(driver.controllerExpandVolume({ volumeId: unknownId, capacityRange }), "NOT_FOUND");
    });

    test("a volume grows, and growing it again changes nothing", async () => {
      await using subject = await make();
      const { driver } = subject;
      const { volumeId } = await createdVolume(driver, "data");
      const capacityRange = { requiredBytes: 32 * mebibyte, limitBytes: 0 };
      const grown = { capacityBytes: 32 * mebibyte, nodeExpansionRequired: true };
      expect(await driver.controllerExpandVolume({ volumeId, capacityRange })).toEqual(grown);
      expect(await driver.controllerExpandVolume({ volumeId, capacityRange })).toEqual(grown);
      const tooLarge = { requiredBytes: 2 ** 52, limitBytes: 0 };
      await expectRefusal(driver.controllerExpandVolume({ volumeId, capacityRange: tooLarge }), "OUT_OF_RANGE");
    });
  });
}
