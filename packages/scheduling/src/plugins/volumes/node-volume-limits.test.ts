import type { CSINode, PersistentVolume, PersistentVolumeClaim, Pod, VolumeAttachment } from "@kintsugi/api";
import { describe, expect, test } from "vitest";
import { defaultPlugins } from "../../default-plugins.ts";
import { filterNodes } from "../../decision/filter-nodes.ts";
import { rejectionText } from "../../framework/rejection-reason.ts";
import { aCluster, aNode, aPod, podInfo } from "../../testing/builders.ts";
import { nodeVolumeLimits } from "./node-volume-limits.ts";

const driver = "disk.example.com";
const bound = { "pv.kubernetes.io/bind-completed": "yes" };

const csiNode = (name: string, count: number | undefined, of = driver): CSINode => ({
  apiVersion: "storage.k8s.io/v1",
  kind: "CSINode",
  metadata: { name },
  spec: { drivers: [{ name: of, nodeID: name, ...(count === undefined ? {} : { allocatable: { count } }) }] },
});

const claim = (name: string, more: PersistentVolumeClaim["spec"] = { volumeName: `disk-${name}` }) => ({
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: { name, namespace: "default", uid: `uid-${name}`, annotations: more?.volumeName ? bound : {} },
  spec: more,
});

const volume = (name: string, handle = name): PersistentVolume => ({
  apiVersion: "v1",
  kind: "PersistentVolume",
  metadata: { name },
  spec: { csi: { driver, volumeHandle: handle }, accessModes: ["ReadWriteOnce"], capacity: { storage: "1Gi" } },
});

const attachment = (name: string, volumeName: string, nodeName: string): VolumeAttachment => ({
  apiVersion: "storage.k8s.io/v1",
  kind: "VolumeAttachment",
  metadata: { name },
  spec: { attacher: driver, nodeName, source: { persistentVolumeName: volumeName } },
});

const using = (...names: string[]) => ({
  spec: { volumes: names.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } })) },
});

interface Given {
  /** The limit of node a; node b has no limit. */
  limit?: CSINode;
  attachments?: readonly VolumeAttachment[];
  placed?: readonly Pod[];
  volumes?: readonly PersistentVolume[];
  claims?: readonly PersistentVolumeClaim[];
}

const names = ["one", "two", "three"];

function cluster({ limit = csiNode("a", 2), attachments = [], placed = [], volumes = [], claims = [] }: Given) {
  const state = aCluster([aNode("a"), aNode("b")], { a: placed });
  state.storage.putCsiNode(limit);
  for (const name of names) state.storage.putClaim(claim(name));
  for (const name of names) state.storage.putVolume(volume(`disk-${name}`));
  for (const each of claims) state.storage.putClaim(each);
  for (const each of volumes) state.storage.putVolume(each);
  for (const each of attachments) state.storage.putAttachment(each);
  state.storage.putClass({
    apiVersion: "storage.k8s.io/v1",
    kind: "StorageClass",
    metadata: { name: "disk" },
    provisioner: driver,
    volumeBindingMode: "WaitForFirstConsumer",
  });
  return state;
}

function rejections(state: ReturnType<typeof cluster>, details: object): Record<string, readonly string[]> {
  const timed = <T>(_: unknown, work: () => T) => work();
  const found = filterNodes(podInfo("web", details), state, { plugins: defaultPlugins, timed }).rejections();
  return Object.fromEntries([...found.byNode].map(([name, { because }]) => [name, because.map(rejectionText)]));
}

const full = { a: ["node(s) exceed max volume count"] };
const pending = claim("new", { storageClassName: "disk", accessModes: ["ReadWriteOnce"] });

describe("a node has as many volumes of a driver as its CSINode states", () => {
  test.each<[name: string, given: Given, pod: object, expected: object]>([
    ["its pods use fewer", { placed: [aPod("p", using("one"))] }, using("two"), {}],
    ["its pods use as many", { placed: [aPod("p", using("one", "two"))] }, using("three"), full],
    ["the pod alone needs more", {}, using("one", "two", "three"), full],
    ["the pod shares a volume with them", { placed: [aPod("p", using("one", "two"))] }, using("two"), {}],
    ["the pod has no claims", { placed: [aPod("p", using("one", "two"))] }, {}, {}],
    ["the driver has no limit there", { limit: csiNode("a", undefined) }, using("one", "two", "three"), {}],
    ["the limit is another driver's", { limit: csiNode("a", 1, "nfs") }, using("one", "two"), {}],
    ["it can have no volume at all", { limit: csiNode("a", 0) }, using("one"), full],
    [
      "a volume of a removed pod is still attached",
      { attachments: [attachment("x", "disk-one", "a")], placed: [aPod("p", using("two"))] },
      using("three"),
      full,
    ],
    [
      "the attached volume is the volume that its pod uses",
      { attachments: [attachment("x", "disk-one", "a")], placed: [aPod("p", using("one"))] },
      using("three"),
      {},
    ],
    [
      "a volume is attached to another node",
      { attachments: [attachment("x", "disk-one", "b")], placed: [aPod("p", using("two"))] },
      using("three"),
      {},
    ],
    [
      "two volumes are a single volume for the driver",
      {
        placed: [aPod("p", using("one", "alias"))],
        volumes: [volume("other", "disk-one")],
        claims: [claim("alias", { volumeName: "other" })],
      },
      using("three"),
      {},
    ],
    [
      "a volume is still to be provisioned",
      { claims: [pending], placed: [aPod("p", using("one", "two"))] },
      using("new"),
      full,
    ],
    ["a claim of its pods is removed", { placed: [aPod("p", using("gone", "one"))] }, using("two"), {}],
  ])("%s", (_name, given, pod, expected) => {
    expect(rejections(cluster(given), pod)).toEqual(expected);
  });

  test("but has capacity again once a volume is detached or its CSINode is deleted", () => {
    const left = attachment("x", "disk-one", "a");
    const state = cluster({ attachments: [left], limit: csiNode("a", 1) });
    expect(rejections(state, using("two"))).toEqual(full);
    state.storage.removeAttachment(left);
    expect(rejections(state, using("two"))).toEqual({});
    expect(rejections(state, using("one", "two"))).toEqual(full);
    state.storage.removeCsiNode(csiNode("a", 1));
    expect(rejections(state, using("one", "two"))).toEqual({});
  });
});

test.each([
  ["a driver is added", true, { is: "CSINodeAdd", csiNode: csiNode("a", 1) }],
  ["a limit changes", true, { is: "CSINodeUpdate", csiNode: csiNode("a", 1) }],
  [
    "a volume is detached from a node",
    true,
    { is: "VolumeAttachmentDelete", attachment: attachment("x", "disk-one", "a") },
  ],
  ["a pod with a volume is removed", true, { is: "AssignedPodDelete", pod: podInfo("p", using("one")), nodeName: "a" }],
  ["a pod without volumes is removed", false, { is: "AssignedPodDelete", pod: podInfo("p"), nodeName: "a" }],
  ["its claim is added", true, { is: "PersistentVolumeClaimAdd", claim: claim("two") }],
  ["another claim is added", false, { is: "PersistentVolumeClaimAdd", claim: claim("one") }],
  ["a node is added", false, { is: "NodeAdd", node: aNode("c") }],
] as const)("a waiting pod is retried when %s: %s", (_name, helps, event) => {
  expect(nodeVolumeLimits.mayHelp?.(podInfo("web", using("two")), event)).toBe(helps);
});
