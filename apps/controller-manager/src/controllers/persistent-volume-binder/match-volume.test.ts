import type { PersistentVolume, PersistentVolumeClaim } from "@kintsugi/api";
import { describe, expect, test } from "vitest";
import { findBestVolume, mismatchOf } from "@kintsugi/rules";
import { aClaim, aVolume, refTo } from "./testing/objects.ts";

const claim = aClaim("c");
const sized = (storage: string) => ({ capacity: { storage } });

describe("a claim gets", () => {
  test.each<[string, PersistentVolumeClaim, PersistentVolume[], string | undefined]>([
    ["nothing if no volumes exist", claim, [], undefined],
    ["the smallest that is large enough", claim, [aVolume("3", sized("3Gi")), aVolume("2", sized("2Gi"))], "2"],
    ["no volume that is too small", claim, [aVolume("v", sized("1023Mi"))], undefined],
    [
      "the volume with the fewest access modes, although it is larger",
      claim,
      [aVolume("many", { accessModes: ["ReadWriteOnce", "ReadOnlyMany"] }), aVolume("one", sized("5Gi"))],
      "one",
    ],
    ["the first by name of equal volumes", claim, [aVolume("b"), aVolume("a")], "a"],
    [
      "no volume without all its access modes",
      aClaim("c", { accessModes: ["ReadWriteOnce", "ReadWriteMany"] }),
      [aVolume("v")],
      undefined,
    ],
    ["no volume of another class", claim, [aVolume("v", { storageClassName: "fast" })], undefined],
    [
      "a volume of its class",
      aClaim("c", { storageClassName: "fast" }),
      [aVolume("v", { storageClassName: "fast" })],
      "v",
    ],
    ["no volume of another volume mode", aClaim("c", { volumeMode: "Block" }), [aVolume("v")], undefined],
    [
      "a volume that its selector matches",
      aClaim("c", { selector: { matchLabels: { disk: "ssd" } } }),
      [aVolume("a"), aVolume("b", {}, { labels: { disk: "ssd" } })],
      "b",
    ],
    ["no volume that is not available yet", claim, [aVolume("v", {}, { phase: "Pending" })], undefined],
    [
      "no volume that is being deleted",
      claim,
      [aVolume("v", {}, { deletionTimestamp: "2026-01-01T00:00:00Z" })],
      undefined,
    ],
    ["no volume of another claim", claim, [aVolume("v", { claimRef: refTo(aClaim("other")) })], undefined],
    [
      "the volume that is reserved for it, of whatever size and class",
      claim,
      [aVolume("a"), aVolume("b", { ...sized("9Gi"), storageClassName: "x", claimRef: refTo(claim, "") })],
      "b",
    ],
    [
      "no volume of an earlier claim of its name",
      claim,
      [aVolume("v", { claimRef: refTo(claim, "uid-of-before") })],
      undefined,
    ],
  ])("%s", (_name, wanted, volumes, expected) => {
    expect(findBestVolume(wanted, volumes, { onlyReserved: false })?.metadata.name).toBe(expected);
  });

  test("only a reserved volume while it waits for its first consumer", () => {
    const volumes = [aVolume("a"), aVolume("b", { claimRef: refTo(claim) })];
    expect(findBestVolume(claim, volumes, { onlyReserved: true })?.metadata.name).toBe("b");
    expect(findBestVolume(claim, volumes.slice(0, 1), { onlyReserved: true })).toBeUndefined();
  });
});

test.each<[string | undefined, PersistentVolume]>([
  [undefined, aVolume("v")],
  ["requested PV is too small", aVolume("v", sized("1Mi"))],
  ["storageClassName does not match", aVolume("v", { storageClassName: "fast" })],
  ["incompatible volumeMode", aVolume("v", { volumeMode: "Block" })],
  ["incompatible accessMode", aVolume("v", { accessModes: ["ReadOnlyMany"] })],
])("a named volume's fault is: %s", (expected, volume) => {
  expect(mismatchOf(volume, claim)).toBe(expected);
});
