import { expect, test } from "vitest";
import { makePicture } from "../picture/make-picture.ts";
import type { RawObject } from "../source/raw-object.ts";
import { defaultGraceMs, shownGrace } from "./shown-grace.ts";

const node = (name: string, status: string, since: string): RawObject => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name },
  status: { conditions: [{ type: "Ready", status, lastTransitionTime: since }] },
});

const lease = (name: string, renewTime: string): RawObject => ({
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  metadata: { name, namespace: "kube-node-lease" },
  spec: { holderIdentity: name, renewTime },
});

const manager = (command: string[]): RawObject => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name: "kube-controller-manager-a",
    namespace: "kube-system",
    labels: { component: "kube-controller-manager" },
  },
  spec: { nodeName: "a", containers: [{ name: "c", image: "i", command }] },
});

const graceOf = (...objects: RawObject[]) =>
  shownGrace(makePicture({ name: "f", objects, listed: [], isWhole: false }));

const silent = node("a", "Unknown", "2026-03-01T10:00:43Z");
const renewed = lease("a", "2026-03-01T10:00:00.000000Z");

test("the grace period is the silence between the last renewal and the Unknown condition", () => {
  expect(graceOf(silent, renewed)).toMatchObject({ ms: 40_000, because: expect.stringContaining("Lease of a") });
});

test("a flag of the controller-manager is more exact", () => {
  const flags = ["kube-controller-manager", "--node-monitor-grace-period=20s"];
  expect(graceOf(silent, renewed, manager(flags))).toMatchObject({ ms: 20_000 });
});

test.each([
  ["a node that is Ready", node("a", "True", "2026-03-01T10:00:43Z"), renewed],
  ["a node without a Lease", silent, lease("b", "2026-03-01T10:00:00.000000Z")],
  ["a wrong clock", silent, lease("a", "2026-03-01T11:00:00.000000Z")],
])("%s shows no grace period", (_, ...objects) => {
  expect(graceOf(...objects)).toBeUndefined();
});

test.each([
  [31, 40_000],
  [32, 50_000],
  [undefined, 50_000],
])("Kubernetes with the minor version %s waits for %d ms by default", (minor, ms) => {
  expect(defaultGraceMs(minor)).toBe(ms);
});
