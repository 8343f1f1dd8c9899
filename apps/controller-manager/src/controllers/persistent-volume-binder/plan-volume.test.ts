import type { PersistentVolume, PersistentVolumeClaim } from "@kintsugi/api";
import { expect, test } from "vitest";
import { boundByControllerAnnotation, provisionedByAnnotation } from "@kintsugi/rules";
import { planVolume } from "./plan-volume.ts";
import { aClaim, aVolume, refTo } from "./testing/objects.ts";

const claim = aClaim("c", { volumeName: "v" });
const bound = { claimRef: refTo(claim) };
const provisioned = { annotations: { [provisionedByAnnotation]: "disk.example.com" } };
const elsewhere = aClaim("c", { volumeName: "w" });

function summary(volume: PersistentVolume, found: PersistentVolumeClaim | undefined): string[] {
  const { write, events } = planVolume(volume, found);
  const phase = write?.of === "volume status" ? ` ${write.object.status?.phase}` : "";
  return [`${write?.of ?? "nothing"}${phase}`, ...events.map(({ reason, message }) => `${reason}: ${message}`)];
}

test.each<[string, PersistentVolume, PersistentVolumeClaim | undefined, string[]]>([
  ["a new volume is available", aVolume("v", {}, { phase: "Pending" }), undefined, ["volume status Available"]],
  ["an available volume remains available", aVolume("v"), undefined, ["nothing"]],
  [
    "a reserved volume is available",
    aVolume("v", { claimRef: refTo(claim, "") }, { phase: "Pending" }),
    claim,
    ["volume status Available"],
  ],
  ["a volume of a claim that names it is bound", aVolume("v", bound), claim, ["volume status Bound"]],
  ["a half bound volume waits for the claim", aVolume("v", bound), aClaim("c"), ["nothing"]],
  [
    "a volume without its claim is released",
    aVolume("v", bound, { phase: "Bound" }),
    undefined,
    ["volume status Released"],
  ],
  [
    "a volume is released although a new claim has the old claim's name",
    aVolume("v", { claimRef: refTo(claim, "uid-of-before") }, { phase: "Bound" }),
    claim,
    ["volume status Released"],
  ],
  ["a retained volume remains released", aVolume("v", bound, { phase: "Released" }), undefined, ["nothing"]],
  [
    "a volume without a plugin that can delete it has failed",
    aVolume("v", { ...bound, persistentVolumeReclaimPolicy: "Delete" }, { phase: "Released" }),
    undefined,
    [
      "volume status Failed",
      'VolumeFailedDelete: error getting deleter volume plugin for volume "v": no deletable volume plugin matched',
    ],
  ],
  [
    "a volume that its provisioner deletes remains released",
    aVolume("v", { ...bound, persistentVolumeReclaimPolicy: "Delete" }, { phase: "Released", ...provisioned }),
    undefined,
    ["nothing"],
  ],
  [
    "a volume with the policy Recycle has failed",
    aVolume("v", { ...bound, persistentVolumeReclaimPolicy: "Recycle" }, { phase: "Released" }),
    undefined,
    ["volume status Failed", "VolumeFailedRecycle: No recycler plugin found for the volume!"],
  ],
  ["a failed volume remains failed", aVolume("v", bound, { phase: "Failed" }), undefined, ["nothing"]],
  [
    "a provisioned volume that its claim did not use is released",
    aVolume("v", { ...bound, persistentVolumeReclaimPolicy: "Delete" }, { phase: "Bound", ...provisioned }),
    elsewhere,
    ["volume status Released"],
  ],
])("%s", (_name, volume, found, expected) => {
  expect(summary(volume, found)).toEqual(expected);
});

test("a volume that the controller chose is free again if the claim was bound to another volume", () => {
  const annotations = { [boundByControllerAnnotation]: "yes", other: "x" };
  const { write } = planVolume(aVolume("v", bound, { annotations }), elsewhere);
  expect(write?.object.metadata.annotations).toEqual({ other: "x" });
  expect(write?.object.spec).not.toHaveProperty("claimRef");
});

test("a volume that its user reserved remains reserved if the claim was bound to another volume", () => {
  const { write } = planVolume(aVolume("v", bound), elsewhere);
  const claimRef = { kind: "PersistentVolumeClaim", namespace: "default", name: "c" };
  expect(write?.object.spec).toEqual({ ...aVolume("v").spec, claimRef });
});
