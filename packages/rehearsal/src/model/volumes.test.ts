import type { PersistentVolume } from "@kintsugi/api";
import { expect, test } from "vitest";
import { makePicture } from "../picture/make-picture.ts";
import { startState } from "./start-state.ts";
import { isNeverAttached } from "./volumes.ts";

test.each([
  ["a file server's", { nfs: { server: "s", path: "/d" } }, true],
  ["a directory's", { hostPath: { path: "/d" } }, true],
  ["a driver's", { csi: { driver: "d", volumeHandle: "h" } }, false],
])("%s volume determines at the start whether it is attached to a node", (_, source, isNever) => {
  const volume = {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name: "v" },
    spec: { accessModes: ["ReadWriteOnce"], capacity: { storage: "1Gi" }, ...source },
  };
  const node = { apiVersion: "v1", kind: "Node", metadata: { name: "n" } };
  const start = startState(makePicture({ name: "f", objects: [node, volume], listed: [], isWhole: true }));
  const own = start.objects.find(({ kind }) => kind.type.kind === "PersistentVolume")?.object as PersistentVolume;
  expect(isNeverAttached(own)).toBe(isNever);
});
