import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { DriverSubject, MakeSubject } from "./driver-subject.ts";
import { attached, createdVolume, expectRefusal, mebibyte, unknownId, writer } from "./requests.ts";

function pathsIn({ directory }: DriverSubject) {
  return { stagingTargetPath: join(directory, "staging"), targetPath: join(directory, "pod", "mount") };
}

async function publishedVolume(subject: DriverSubject): Promise<string> {
  const { driver, nodeId } = subject;
  const { volumeId } = await createdVolume(driver, "data");
  await attached(driver, volumeId, nodeId);
  const request = { volumeId, volumeCapability: writer, ...pathsIn(subject) };
  await driver.nodeStageVolume(request);
  await driver.nodePublishVolume({ ...request, readonly: false });
  return volumeId;
}

export function describeNodeChecks(make: MakeSubject): void {
  describe("Node", () => {
    test("the node has an ID of at most 256 bytes", async () => {
      await using subject = await make();
      const { nodeId } = await subject.driver.nodeGetInfo({});
      expect(nodeId).toBe(subject.nodeId);
      expect(Buffer.byteLength(nodeId)).toBeLessThanOrEqual(256);
    });

    test("a call with missing arguments is rejected", async () => {
      await using subject = await make();
      const { driver } = subject;
      const { stagingTargetPath, targetPath } = pathsIn(subject);
      const stage = { volumeId: unknownId, volumeCapability: writer, stagingTargetPath };
      const publish = { ...stage, targetPath, readonly: false };
      const { volumeCapability: _, ...bare } = stage;
      await expectRefusal(driver.nodeStageVolume({ ...stage, volumeId: "" }), "INVALID_ARGUMENT");
      await expectRefusal(driver.nodeStageVolume({ ...stage, stagingTargetPath: "" }), "INVALID_ARGUMENT");
      await expectRefusal(driver.nodeStageVolume(bare), "INVALID_ARGUMENT");
      await expectRefusal(driver.nodePublishVolume({ ...publish, volumeId: "" }), "INVALID_ARGUMENT");
      await expectRefusal(driver.nodePublishVolume({ ...publish, targetPath: "" }), "INVALID_ARGUMENT");
      await expectRefusal(driver.nodePublishVolume({ ...bare, targetPath, readonly: false }), "INVALID_ARGUMENT");
      await expectRefusal(driver.nodeUnpublishVolume({ volumeId: "", targetPath }), "INVALID_ARGUMENT");
      await expectRefusal(driver.nodeUnpublishVolume({ volumeId: unknownId, targetPath: "" }), "INVALID_ARGUMENT");
      await expectRefusal(driver.nodeUnstageVolume({ volumeId: "", stagingTargetPath }), "INVALID_ARGUMENT");
      await expectRefusal(driver.nodeUnstageVolume({ volumeId: unknownId, stagingTargetPath: "" }), "INVALID_ARGUMENT");
    });

    test("a volume is staged only on the node that it is attached to", async () => {
      await using subject = await make();
      const { driver, otherDriver, nodeId } = subject;
      const { volumeId } = await createdVolume(driver, "data");
      const request = { volumeId, volumeCapability: writer, ...pathsIn(subject) };
      await expectRefusal(driver.nodeStageVolume(request), "FAILED_PRECONDITION");
      await attached(driver, volumeId, nodeId);
      await expectRefusal(otherDriver.nodeStageVolume(request), "FAILED_PRECONDITION");
      await driver.nodeStageVolume(request);
      await driver.nodeUnstageVolume(request);
    });

    test("each step and its reversal can be repeated", async () => {
      await using subject = await make();
      const { driver, nodeId } = subject;
      const volumeId = await publishedVolume(subject);
      const request = { volumeId, volumeCapability: writer, ...pathsIn(subject) };
      await driver.nodeStageVolume(request);
      await driver.nodePublishVolume({ ...request, readonly: false });
      for (let times = 0; times < 2; times++) await driver.nodeUnpublishVolume(request);
      for (let times = 0; times < 2; times++) await driver.nodeUnstageVolume(request);
      await driver.controllerUnpublishVolume({ volumeId, nodeId });
      await driver.deleteVolume({ volumeId });
      expect((await driver.listVolumes({ maxEntries: 0, startingToken: "" })).entries).toEqual([]);
    });

    test("a volume that does not exist is not staged, and not published", async () => {
      await using subject = await make();
      const { driver } = subject;
      const request = { volumeId: unknownId, volumeCapability: writer, ...pathsIn(subject) };
      await expectRefusal(driver.nodeStageVolume(request), "NOT_FOUND");
      await expectRefusal(driver.nodePublishVolume({ ...request, readonly: false }), "NOT_FOUND");
    });

    test("a volume grows only where it is published", async () => {
      await using subject = await make();
      const { driver } = subject;
      const volumeId = await publishedVolume(subject);
      const volumePath = join(subject.directory, "elsewhere");
      const request = { volumeId, volumePath, stagingTargetPath: "", volumeCapability: writer };
      await expectRefusal(driver.nodeExpandVolume(request), "NOT_FOUND");
    });

    test("a volume is not published unless it is staged", async () => {
      await using subject = await make();
      const { driver, nodeId } = subject;
      const { volumeId } = await createdVolume(driver, "data");
      await attached(driver, volumeId, nodeId);
      const request = { volumeId, volumeCapability: writer, ...pathsIn(subject), readonly: false };
      await expectRefusal(driver.nodePublishVolume(request), "FAILED_PRECONDITION");
    });

    test("a published volume has usage in bytes and inodes, and a path without a volume has no usage", async () => {
      await using subject = await make();
      const { driver } = subject;
      const volumeId = await publishedVolume(subject);
      const { targetPath, stagingTargetPath } = pathsIn(subject);
      const of = (volume: string, volumePath: string) =>
        driver.nodeGetVolumeStats({ volumeId: volume, volumePath, stagingTargetPath });
      const { usage } = await of(volumeId, targetPath);
      expect(usage.map(({ unit }) => unit)).toEqual(["BYTES", "INODES"]);
      expect(usage.every(({ total }) => total > 0)).toBe(true);
      await expectRefusal(of("", targetPath), "INVALID_ARGUMENT");
      await expectRefusal(of(volumeId, ""), "INVALID_ARGUMENT");
      await expectRefusal(of(unknownId, targetPath), "NOT_FOUND");
      await expectRefusal(of(volumeId, join(subject.directory, "elsewhere")), "NOT_FOUND");
    });

    test("a published volume grows on its node", async () => {
      await using subject = await make();
      const { driver } = subject;
      const volumeId = await publishedVolume(subject);
      const { targetPath: volumePath, stagingTargetPath } = pathsIn(subject);
      const capacityRange = { requiredBytes: 64 * mebibyte, limitBytes: 0 };
      await driver.controllerExpandVolume({ volumeId, capacityRange });
      const request = { volumeId, volumePath, stagingTargetPath, volumeCapability: writer };
      const outcome = await driver.nodeExpandVolume(request).catch((error: unknown) => error);
      const refused = expect.objectContaining({ code: "FAILED_PRECONDITION" });
      expect(outcome).toEqual(subject.growsMounted ? { capacityBytes: 64 * mebibyte } : refused);
      await expectRefusal(driver.nodeExpandVolume({ ...request, volumeId: "" }), "INVALID_ARGUMENT");
      await expectRefusal(driver.nodeExpandVolume({ ...request, volumePath: "" }), "INVALID_ARGUMENT");
      await expectRefusal(driver.nodeExpandVolume({ ...request, volumeId: unknownId }), "NOT_FOUND");
    });
  });
}
