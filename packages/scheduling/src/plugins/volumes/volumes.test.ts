import type {
  CSIStorageCapacity,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  StorageClass,
} from "@kintsugi/api";
import { describe, expect, test } from "vitest";
import type { ClusterState } from "../../cluster-state/cluster-state.ts";
import { planReservation } from "../../decision/reserve.ts";
import { defaultPlugins } from "../../default-plugins.ts";
import { filterNodes } from "../../decision/filter-nodes.ts";
import { rejectionText } from "../../framework/rejection-reason.ts";
import { aCluster, aNode, aPod, podInfo } from "../../testing/builders.ts";
import { volumeBinding } from "./volume-binding.ts";
import { volumeRestrictions } from "./volume-restrictions.ts";
import { volumeZone } from "./volume-zone.ts";

interface Given {
  claims?: readonly PersistentVolumeClaim[];
  volumes?: readonly PersistentVolume[];
  classes?: readonly StorageClass[];
  nodes?: readonly Node[];
  placed?: Record<string, readonly Pod[]>;
}

const bound = { "pv.kubernetes.io/bind-completed": "yes" };

function aClaim(name: string, more: Partial<PersistentVolumeClaim> = {}): PersistentVolumeClaim {
  const { metadata, spec, ...rest } = more;
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name, namespace: "default", uid: `uid-${name}`, resourceVersion: "1", ...metadata },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, ...spec },
    ...rest,
  };
}

const boundTo = (volumeName: string, more: PersistentVolumeClaim["spec"] = {}) =>
  aClaim("data", { metadata: { annotations: bound }, spec: { volumeName, ...more } });
const delayed = (name = "data", more: Partial<PersistentVolumeClaim> = {}) =>
  aClaim(name, { ...more, spec: { storageClassName: "local", ...more.spec } });

function aVolume(name: string, nodeName?: string, spec: PersistentVolume["spec"] = {}): PersistentVolume {
  const required = {
    nodeSelectorTerms: [
      { matchExpressions: [{ key: "kubernetes.io/hostname", operator: "In" as const, values: [nodeName ?? ""] }] },
    ],
  };
  return {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name, uid: `uid-${name}`, resourceVersion: "1" },
    spec: {
      capacity: { storage: "1Gi" },
      accessModes: ["ReadWriteOnce"],
      storageClassName: "local",
      ...(nodeName === undefined ? {} : { nodeAffinity: { required } }),
      ...spec,
    },
    status: { phase: "Available" },
  };
}

const aClass = (provisioner = "kubernetes.io/no-provisioner", more: Partial<StorageClass> = {}): StorageClass => ({
  apiVersion: "storage.k8s.io/v1",
  kind: "StorageClass",
  metadata: { name: "local" },
  provisioner,
  volumeBindingMode: "WaitForFirstConsumer",
  ...more,
});

function cluster({ claims = [], volumes = [], classes = [aClass()], nodes, placed }: Given): ClusterState {
  const state = aCluster(nodes ?? [aNode("a"), aNode("b")], placed);
  for (const claim of claims) state.storage.putClaim(claim);
  for (const volume of volumes) state.storage.putVolume(volume);
  for (const one of classes) state.storage.putClass(one);
  return state;
}

const using = (...names: string[]) => ({
  spec: { volumes: names.map((claimName, i) => ({ name: `v${i}`, persistentVolumeClaim: { claimName } })) },
});
const ephemeral = { spec: { volumes: [{ name: "v", ephemeral: { volumeClaimTemplate: { spec: {} } } }] } };

/** The reasons of each node, with `*` for the pod as a whole. */
function rejections(given: Given, details: object = using("data")): Record<string, readonly string[]> {
  const state = cluster(given);
  const timed = <T>(_: unknown, work: () => T) => work();
  const found = filterNodes(podInfo("web", details), state, { plugins: defaultPlugins, timed }).rejections();
  if (found.podBecause !== undefined) return { "*": [found.podBecause] };
  return Object.fromEntries([...found.byNode].map(([name, { because }]) => [name, because.map(rejectionText)]));
}

const conflict = ["node(s) had volume node affinity conflict"];
const nothingToBind = ["node(s) didn't find available persistent volumes to bind"];
const gone = ["node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)"];

describe("a pod is placed where its claims' volumes can be used", () => {
  test.each<[name: string, given: Given, expected: Record<string, readonly string[]>]>([
    ["a claim is missing", {}, { "*": ['persistentvolumeclaim "data" not found'] }],
    [
      "a claim waits for its binder",
      { claims: [aClaim("data")] },
      { "*": ["pod has unbound immediate PersistentVolumeClaims"] },
    ],
    [
      "a claim of a class for the first pod names its volume",
      { claims: [delayed("data", { spec: { volumeName: "disk" } })] },
      { "*": ["pod has unbound immediate PersistentVolumeClaims"] },
    ],
    [
      "a claim is being deleted",
      { claims: [aClaim("data", { metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } })] },
      { "*": ['persistentvolumeclaim "data" is being deleted'] },
    ],
    [
      "a claim has lost its volume",
      { claims: [{ ...boundTo("disk"), status: { phase: "Lost" } }] },
      { "*": ['persistentvolumeclaim "data" bound to non-existent persistentvolume "disk"'] },
    ],
    ["the volume does not exist", { claims: [boundTo("disk")] }, { a: gone, b: gone }],
    ["the volume is on one node", { claims: [boundTo("disk")], volumes: [aVolume("disk", "b")] }, { a: conflict }],
    ["the volume is accessible from every node", { claims: [boundTo("disk")], volumes: [aVolume("disk")] }, {}],
    ["no volume exists yet", { claims: [delayed()] }, { a: nothingToBind, b: nothingToBind }],
    ["a free volume is on one node", { claims: [delayed()], volumes: [aVolume("disk", "a")] }, { b: nothingToBind }],
    [
      "the free volume is too small",
      { claims: [delayed()], volumes: [aVolume("disk", "a", { capacity: { storage: "1Mi" } })] },
      { a: nothingToBind, b: nothingToBind },
    ],
    ["a provisioner creates volumes", { claims: [delayed()], classes: [aClass("disk.example.com")] }, {}],
    [
      "a provisioner creates volumes in one zone",
      {
        claims: [delayed()],
        classes: [
          aClass("disk.example.com", {
            allowedTopologies: [{ matchLabelExpressions: [{ key: "zone", values: ["east"] }] }],
          }),
        ],
        nodes: [aNode("a", { labels: { zone: "east" } }), aNode("b", { labels: { zone: "west" } })],
      },
      { b: nothingToBind },
    ],
    [
      "a provisioner is at work for a node already",
      {
        claims: [delayed("data", { metadata: { annotations: { "volume.kubernetes.io/selected-node": "b" } } })],
        classes: [aClass("disk.example.com")],
      },
      { a: nothingToBind },
    ],
  ])("%s", (_name, given, expected) => {
    expect(rejections(given)).toEqual(expected);
  });

  test("two claims need two volumes of one node", () => {
    const claims = [delayed("data"), delayed("logs")];
    const volumes = [aVolume("a1", "a"), aVolume("b1", "b"), aVolume("b2", "b")];
    expect(rejections({ claims, volumes }, using("data", "logs"))).toEqual({ a: nothingToBind });
  });

  test("an ephemeral volume waits for its own claim", () => {
    expect(rejections({}, ephemeral)).toEqual({
      "*": ['waiting for ephemeral volume controller to create the persistentvolumeclaim "web-v"'],
    });
    expect(rejections({ claims: [aClaim("web-v")] }, ephemeral)).toEqual({
      "*": ["PVC default/web-v was not created for pod default/web (pod is not owner)"],
    });
  });
});

describe("the capacity that a driver publishes", () => {
  const classes = [aClass("disk.example.com")];
  const nodes = [aNode("a", { labels: { zone: "east" } }), aNode("b", { labels: { zone: "west" } })];
  const noSpace = ["node(s) did not have enough free storage"];

  function withRoom(storageCapacity: boolean, capacities: readonly Partial<CSIStorageCapacity>[]) {
    const state = cluster({ claims: [delayed()], classes, nodes });
    const driver = { apiVersion: "storage.k8s.io/v1", kind: "CSIDriver", metadata: { name: "disk.example.com" } };
    state.storage.putCsiDriver({ ...driver, spec: { storageCapacity } });
    for (const [index, capacity] of capacities.entries()) {
      const metadata = { namespace: "kube-system", name: `c${index}` };
      state.storage.putCapacity({ metadata, storageClassName: "local", ...capacity } as CSIStorageCapacity);
    }
    const timed = <T>(_: unknown, work: () => T) => work();
    const found = filterNodes(podInfo("web", using("data")), state, { plugins: defaultPlugins, timed }).rejections();
    return Object.fromEntries([...found.byNode].map(([name, { because }]) => [name, because.map(rejectionText)]));
  }
  const east = { nodeTopology: { matchLabels: { zone: "east" } } };
  const everywhere = { nodeTopology: {} };

  test.each<[string, boolean, Partial<CSIStorageCapacity>[], Record<string, readonly string[]>]>([
    ["exists in one place", true, [{ ...east, capacity: "2Gi" }], { b: noSpace }],
    ["exists everywhere", true, [{ ...everywhere, capacity: "1Gi" }], {}],
    ["is too little", true, [{ ...everywhere, capacity: "1023Mi" }], { a: noSpace, b: noSpace }],
    [
      "has no part that is large enough",
      true,
      [{ ...everywhere, capacity: "9Gi", maximumVolumeSize: "512Mi" }],
      { a: noSpace, b: noSpace },
    ],
    ["is unknown", true, [everywhere], { a: noSpace, b: noSpace }],
    ["is accessible from no node", true, [{ capacity: "9Gi" }], { a: noSpace, b: noSpace }],
    [
      "is of another class",
      true,
      [{ ...everywhere, capacity: "9Gi", storageClassName: "other" }],
      { a: noSpace, b: noSpace },
    ],
    ["does not count for a driver that publishes no limit", false, [], {}],
  ])("%s", (_name, publishes, capacities, expected) => {
    expect(withRoom(publishes, capacities)).toEqual(expected);
  });

  test("wakes a waiting pod when it grows", () => {
    const capacity = { metadata: {}, storageClassName: "local" } as CSIStorageCapacity;
    const helps = volumeBinding.mayHelp?.(podInfo("web", using("data")), { is: "CSIStorageCapacityUpdate", capacity });
    expect(helps).toBe(true);
  });
});

describe("a reservation", () => {
  const reserve = (state: ClusterState, nodeName: string) =>
    planReservation(podInfo("web", using("data")), nodeName, { snapshot: state, plugins: defaultPlugins });

  test("binds the node's volume to the claim, and the next pod does not get it", () => {
    const state = cluster({ claims: [delayed(), delayed("other")], volumes: [aVolume("disk", "a")] });
    const reservation = reserve(state, "a");
    expect(reservation?.volumes.map(({ metadata, spec }) => [metadata.name, spec?.claimRef?.uid])).toEqual([
      ["disk", "uid-data"],
    ]);
    expect(reservation?.volumes[0]?.metadata.annotations).toEqual({ "pv.kubernetes.io/bound-by-controller": "yes" });
    if (reservation !== undefined) state.storage.reserve(reservation);
    const other = podInfo("other", using("other"));
    const check = () => volumeBinding.filter?.(other, state);
    const verdict = () => {
      const filter = check();
      const node = state.find("a");
      return typeof filter === "object" && "check" in filter && node !== undefined
        ? filter.check(node).fits
        : undefined;
    };
    expect(verdict()).toBe(false);
    if (reservation !== undefined) state.storage.release(reservation);
    expect(verdict()).toBe(true);
  });

  test("yields to the informer's later state", () => {
    const state = cluster({ claims: [delayed()], volumes: [aVolume("disk", "a")] });
    const reservation = reserve(state, "a");
    if (reservation !== undefined) state.storage.reserve(reservation);
    state.storage.putVolume(aVolume("disk", "a"));
    expect(state.storage.findVolume("disk")?.spec?.claimRef?.uid).toBe("uid-data");
    const newer = aVolume("disk", "a");
    newer.metadata.resourceVersion = "2";
    state.storage.putVolume(newer);
    expect(state.storage.findVolume("disk")).toBe(newer);
  });

  test("names the node for which a volume is to be provisioned", () => {
    const state = cluster({ claims: [delayed()], classes: [aClass("disk.example.com")] });
    expect(reserve(state, "b")).toMatchObject({
      volumes: [],
      claims: [{ metadata: { name: "data", annotations: { "volume.kubernetes.io/selected-node": "b" } } }],
      awaited: [{ metadata: { name: "data" } }],
    });
  });

  test("is not needed if all claims are bound", () => {
    const state = cluster({ claims: [boundTo("disk")], volumes: [aVolume("disk")] });
    expect(reserve(state, "a")).toBeUndefined();
  });
});

describe("a ReadWriteOncePod claim", () => {
  const claims = [boundTo("disk", { accessModes: ["ReadWriteOncePod"] })];
  const volumes = [aVolume("disk")];
  const inUse = ["node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode"];

  test("admits no second pod on any node, until the first no longer exists", () => {
    expect(rejections({ claims, volumes, placed: { a: [aPod("first", using("data"))] } })).toEqual({
      a: inUse,
      b: inUse,
    });
    expect(rejections({ claims, volumes })).toEqual({});
    const elsewhere = aPod("first", { namespace: "prod", ...using("data") });
    expect(rejections({ claims, volumes, placed: { a: [elsewhere] } })).toEqual({});
  });
});

test("a volume of a zone is used in its zone, if nodes have zones at all", () => {
  const zone = "topology.kubernetes.io/zone";
  const disk = aVolume("disk");
  disk.metadata.labels = { "failure-domain.beta.kubernetes.io/zone": "east__north" };
  const given = { claims: [boundTo("disk")], volumes: [disk] };
  const nodes = [aNode("a", { labels: { [zone]: "west" } }), aNode("b", { labels: { [zone]: "north" } }), aNode("c")];
  expect(rejections({ ...given, nodes })).toEqual({ a: ["node(s) had no available volume zone"] });
});

test.each([
  ["its claim is bound", true, volumeBinding, { is: "PersistentVolumeClaimUpdate", claim: aClaim("data") }],
  ["another claim is bound", false, volumeBinding, { is: "PersistentVolumeClaimUpdate", claim: aClaim("logs") }],
  ["a volume is added", true, volumeBinding, { is: "PersistentVolumeAdd", volume: aVolume("disk") }],
  ["a class is added", true, volumeBinding, { is: "StorageClassAdd", storageClass: aClass() }],
  ["a node is added", true, volumeZone, { is: "NodeAdd", node: aNode("c") }],
  [
    "the claim's pod is removed",
    true,
    volumeRestrictions,
    { is: "AssignedPodDelete", pod: podInfo("first", using("data")), nodeName: "a" },
  ],
  [
    "a pod without the claim is removed",
    false,
    volumeRestrictions,
    { is: "AssignedPodDelete", pod: podInfo("first"), nodeName: "a" },
  ],
] as const)("a waiting pod is retried when %s: %s", (_name, helps, plugin, event) => {
  expect(plugin.mayHelp?.(podInfo("web", using("data")), event)).toBe(helps);
});
