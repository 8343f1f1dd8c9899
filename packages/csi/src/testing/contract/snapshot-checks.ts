import { describe, expect, test } from "vitest";
import type { MakeSubject } from "./driver-subject.ts";
import { aVolumeRequest, createdVolume, expectRefusal, mebibyte, unknownId } from "./requests.ts";

const wholeList = { maxEntries: 0, startingToken: "", sourceVolumeId: "", snapshotId: "" };

export function describeSnapshotChecks(make: MakeSubject): void {
  describe("CreateSnapshot, DeleteSnapshot and ListSnapshots", () => {
    test("the request needs a name and a volume", async () => {
      await using subject = await make();
      const { driver } = subject;
      await expectRefusal(driver.createSnapshot({ name: "", sourceVolumeId: unknownId }), "INVALID_ARGUMENT");
      await expectRefusal(driver.createSnapshot({ name: "s", sourceVolumeId: "" }), "INVALID_ARGUMENT");
      await expectRefusal(driver.createSnapshot({ name: "s", sourceVolumeId: unknownId }), "NOT_FOUND");
      await expectRefusal(driver.deleteSnapshot({ snapshotId: "" }), "INVALID_ARGUMENT");
    });

    test("an unknown parameter is rejected", async () => {
      await using subject = await make();
      const { driver } = subject;
      const { volumeId: sourceVolumeId } = await createdVolume(driver, "data");
      const request = { name: "s", sourceVolumeId, parameters: { unheard: "of" } };
      await expectRefusal(driver.createSnapshot(request), "INVALID_ARGUMENT");
      expect((await driver.listSnapshots(wholeList)).entries).toEqual([]);
    });

    test("a missing snapshot is deleted without an error, and a deleted snapshot is not a source", async () => {
      await using subject = await make();
      const { driver } = subject;
      const { volumeId } = await createdVolume(driver, "data");
      await driver.deleteSnapshot({ snapshotId: "../../elsewhere" });
      const { snapshot } = await driver.createSnapshot({ name: "s", sourceVolumeId: volumeId });
      const snapshotId = snapshot?.snapshotId ?? "";
      await driver.deleteSnapshot({ snapshotId });
      const volumeContentSource = { snapshot: { snapshotId } };
      await expectRefusal(driver.createVolume(aVolumeRequest("restored", { volumeContentSource })), "NOT_FOUND");
      const again = await driver.createSnapshot({ name: "s", sourceVolumeId: volumeId });
      expect(again.snapshot).toMatchObject({ sourceVolumeId: volumeId, readyToUse: true });
    });

    test("a volume that is smaller than its snapshot is not created", async () => {
      await using subject = await make();
      const { driver } = subject;
      const { volumeId } = await createdVolume(driver, "data");
      const { snapshot } = await driver.createSnapshot({ name: "s", sourceVolumeId: volumeId });
      const volumeContentSource = { snapshot: { snapshotId: snapshot?.snapshotId ?? "" } };
      const capacityRange = { requiredBytes: 0, limitBytes: 8 * mebibyte };
      const smaller = aVolumeRequest("restored", { volumeContentSource, capacityRange });
      await expectRefusal(driver.createVolume(smaller), "OUT_OF_RANGE");
    });

    test("a repeated request returns the same snapshot, and its name cannot be used for other volumes", async () => {
      await using subject = await make();
      const { driver } = subject;
      const { volumeId } = await createdVolume(driver, "data");
      const other = await createdVolume(driver, "other");
      const { snapshot } = await driver.createSnapshot({ name: "s", sourceVolumeId: volumeId });
      expect(snapshot).toMatchObject({ sourceVolumeId: volumeId, readyToUse: true });
      expect(await driver.createSnapshot({ name: "s", sourceVolumeId: volumeId })).toEqual({ snapshot });
      const taken = driver.createSnapshot({ name: "s", sourceVolumeId: other.volumeId });
      await expectRefusal(taken, "ALREADY_EXISTS");
    });

    test("snapshots are listed by volume and by ID until they are deleted", async () => {
      await using subject = await make();
      const { driver } = subject;
      const { volumeId } = await createdVolume(driver, "data");
      const { snapshot } = await driver.createSnapshot({ name: "s", sourceVolumeId: volumeId });
      const snapshotId = snapshot?.snapshotId ?? "";
      const list = async (filter: object) => (await driver.listSnapshots({ ...wholeList, ...filter })).entries;
      expect(await list({ snapshotId })).toEqual([{ snapshot }]);
      expect(await list({ sourceVolumeId: volumeId })).toEqual([{ snapshot }]);
      expect(await list({ sourceVolumeId: unknownId })).toEqual([]);
      await driver.deleteSnapshot({ snapshotId });
      await driver.deleteSnapshot({ snapshotId });
      expect(await list({})).toEqual([]);
    });

    test("pages contain every snapshot once, and the longest name is valid", async () => {
      await using subject = await make();
      const { driver } = subject;
      const { volumeId } = await createdVolume(driver, "data");
      const names = ["a", "b", "c".repeat(128)];
      const made: (string | undefined)[] = [];
      for (const name of names)
        made.push((await driver.createSnapshot({ name, sourceVolumeId: volumeId })).snapshot?.snapshotId);
      const seen: (string | undefined)[] = [];
      let startingToken = "";
      do {
        const { entries, nextToken } = await driver.listSnapshots({ ...wholeList, maxEntries: 2, startingToken });
        expect(entries.length).toBeLessThanOrEqual(2);
        seen.push(...entries.map(({ snapshot }) => snapshot?.snapshotId));
        startingToken = nextToken;
      } while (startingToken !== "");
      expect(seen).toEqual(made);
      expect((await driver.listSnapshots({ ...wholeList, snapshotId: "none" })).entries).toEqual([]);
      await expectRefusal(driver.listSnapshots({ ...wholeList, startingToken: "invalid" }), "ABORTED");
      const tooLong = driver.createSnapshot({ name: "a".repeat(129), sourceVolumeId: volumeId });
      await expectRefusal(tooLong, "INVALID_ARGUMENT");
    });

    test("a snapshot outlives its volume", async () => {
      await using subject = await make();
      const { driver } = subject;
      const { volumeId } = await createdVolume(driver, "data");
      const { snapshot } = await driver.createSnapshot({ name: "s", sourceVolumeId: volumeId });
      await driver.deleteVolume({ volumeId });
      const fromSnapshot = { snapshot: { snapshotId: snapshot?.snapshotId ?? "" } };
      const restored = await createdVolume(driver, "restored", { volumeContentSource: fromSnapshot });
      expect(restored.contentSource).toEqual(fromSnapshot);
    });

    test("volumes are created from a snapshot and from a volume, and state their source", async () => {
      await using subject = await make();
      const { driver } = subject;
      const { volumeId } = await createdVolume(driver, "data");
      const { snapshot } = await driver.createSnapshot({ name: "s", sourceVolumeId: volumeId });
      const fromSnapshot = { snapshot: { snapshotId: snapshot?.snapshotId ?? "" } };
      const restored = await createdVolume(driver, "restored", { volumeContentSource: fromSnapshot });
      expect(restored.contentSource).toEqual(fromSnapshot);
      const clone = await createdVolume(driver, "clone", { volumeContentSource: { volume: { volumeId } } });
      expect(clone.contentSource).toEqual({ volume: { volumeId } });
    });
  });
}
