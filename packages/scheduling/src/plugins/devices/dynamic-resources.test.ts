import type { Pod, ResourceClaim } from "@kintsugi/api";
import { describe, expect, test } from "vitest";
import type { ClusterEvent } from "../../cluster-state/cluster-event.ts";
import { ClusterState } from "../../cluster-state/cluster-state.ts";
import { podInfoOf } from "../../cluster-state/pod-info.ts";
import { decide } from "../../decision/decide.ts";
import { filterNodes } from "../../decision/filter-nodes.ts";
import { rejectionText } from "../../framework/rejection-reason.ts";
import { gatedBy, planReservation } from "../../decision/reserve.ts";
import { defaultPlugins } from "../../default-plugins.ts";
import { aNode, aPod, podInfo } from "../../testing/builders.ts";
import { alternatives } from "../../testing/device-worlds.ts";
import {
  aDevice,
  aDeviceClaim,
  aDeviceClass,
  aDeviceRequest,
  aSlice,
  testDriver,
  testSelectors,
} from "../../testing/devices.ts";
import { dynamicResources } from "./dynamic-resources.ts";
import { idleClaimOf } from "../../decision/idle-claim.ts";

const one = { requests: [aDeviceRequest("r")] };
const onNode = (name: string) => ({
  nodeSelectorTerms: [{ matchFields: [{ key: "metadata.name", operator: "In" as const, values: [name] }] }],
});
const taken = (node: string, device: string, consumers: readonly string[] = []): ResourceClaim["status"] => ({
  allocation: {
    devices: { results: [{ request: "r", driver: testDriver, pool: node, device }] },
    nodeSelector: onNode(node),
  },
  reservedFor: consumers.map((uid) => ({ resource: "pods", name: uid, uid })),
});

/** Two nodes with a device each. */
function clusterWith(...claims: ResourceClaim[]): ClusterState {
  const state = new ClusterState(testSelectors);
  for (const name of ["a", "b"]) {
    state.putNode(aNode(name));
    state.devices.putSlice(aSlice({ nodeName: name, devices: [aDevice("g", { model: name })] }));
  }
  state.devices.putClass(aDeviceClass("gpu", "true"));
  for (const claim of claims) state.devices.putClaim(claim);
  return state;
}

function usingClaims(...names: string[]): Pod {
  const resourceClaims = names.map((name, index) => ({ name: `c${index}`, resourceClaimName: name }));
  return aPod("web", { spec: { resourceClaims } });
}

const fromTemplate = (status?: Pod["status"]) =>
  aPod("web", {
    spec: { resourceClaims: [{ name: "gpu", resourceClaimTemplateName: "gpus" }] },
    ...(status === undefined ? {} : { status }),
  });
const made = { resourceClaimStatuses: [{ name: "gpu", resourceClaimName: "made" }] };

function reasonsFor(pod: Pod, state: ClusterState): Record<string, readonly string[]> {
  const filtered = filterNodes(podInfoOf(pod), state, { plugins: defaultPlugins });
  if (filtered.feasible.length > 0) return Object.fromEntries(filtered.feasible.map(({ name }) => [name, []]));
  return Object.fromEntries(
    [...filtered.rejections().byNode].map(([name, { because }]) => [name, because.map(rejectionText)]),
  );
}

describe("a pod with claims of devices", () => {
  const users = (count: number) => Array.from({ length: count }, (_, index) => `u${index}`);
  const both = (because: string) => ({ a: [because], b: [because] });

  test.each<[string, Record<string, readonly string[]>, Pod, ResourceClaim[]]>([
    ["fits on nodes where its devices are free", { a: [], b: [] }, usingClaims("c"), [aDeviceClaim("c", one)]],
    ["waits for its claim", both('resourceclaim "c" not found'), usingClaims("c"), []],
    [
      "waits for a claim of a template",
      both('pod "default/web": ResourceClaim not created yet'),
      fromTemplate(),
      [aDeviceClaim("made", one)],
    ],
    [
      "does not use the claim of another pod",
      both("ResourceClaim default/made was not created for pod default/web (pod is not owner)"),
      fromTemplate(made),
      [aDeviceClaim("made", one)],
    ],
    [
      "needs no claim if no claim was created",
      { a: [], b: [] },
      fromTemplate({ resourceClaimStatuses: [{ name: "gpu" }] }),
      [],
    ],
    [
      "does not use a claim that is being deleted",
      both('resourceclaim "c" is being deleted'),
      usingClaims("c"),
      [{ ...aDeviceClaim("c", one), metadata: { ...aDeviceClaim("c", one).metadata, deletionTimestamp: "x" } }],
    ],
    [
      "fits on nodes where its claim has devices",
      { b: [] },
      usingClaims("c"),
      [aDeviceClaim("c", one, taken("b", "g"))],
    ],
    [
      "cannot join 256 others",
      both("resourceclaim in use"),
      usingClaims("c"),
      [aDeviceClaim("c", one, taken("b", "g", users(256)))],
    ],
    [
      "is already among its consumers",
      { b: [] },
      usingClaims("c"),
      [aDeviceClaim("c", one, taken("b", "g", [...users(255), "uid-web"]))],
    ],
    [
      "waits if devices are in use",
      { a: ["cannot allocate all claims"], b: ["cannot allocate all claims"] },
      usingClaims("c", "d"),
      [aDeviceClaim("c", one), aDeviceClaim("d", one)],
    ],
    [
      "needs the class",
      both("request r: device class none does not exist"),
      usingClaims("c"),
      [aDeviceClaim("c", { requests: [aDeviceRequest("r", { deviceClassName: "none" })] })],
    ],
  ])("%s", (_name, expected, pod, claims) => {
    expect(reasonsFor(pod, clusterWith(...claims))).toEqual(expected);
  });

  test("is notified that devices are not allocated if they are not watched", () => {
    const state = new ClusterState();
    state.putNode(aNode("a"));
    expect(reasonsFor(usingClaims("c"), state)).toEqual({
      a: ['devices of resourceclaim "c0" are not allocated by this scheduler'],
    });
    expect(gatedBy(podInfoOf(usingClaims("c")), state, defaultPlugins)).toBeUndefined();
  });

  test("is not tried before its claims exist", () => {
    const state = clusterWith();
    const gate = () => gatedBy(podInfoOf(usingClaims("c")), state, defaultPlugins);
    expect(gate()).toBe("DynamicResources");
    state.devices.putClaim(aDeviceClaim("c", one));
    expect(gate()).toBeUndefined();
    expect(gatedBy(podInfo("plain"), state, defaultPlugins)).toBeUndefined();
  });

  test("is placed on the node of its preferred alternative", () => {
    const claim = aDeviceClaim("c", { requests: [alternatives("r", "model=b", "model=a")] });
    const options = { plugins: defaultPlugins, tieBreaker: 0 };
    expect(decide(podInfoOf(usingClaims("c")), clusterWith(claim), options)).toMatchObject({ node: "b" });
  });
});

describe("the reservation for a pod", () => {
  test("is given to no other claim until its release, and remains with the written claim", () => {
    const [c, d] = [aDeviceClaim("c", one), aDeviceClaim("d", one)];
    const state = clusterWith(c, d);
    const plan = (name: string) =>
      planReservation(podInfoOf(usingClaims(name)), "a", { snapshot: state, plugins: defaultPlugins })?.devices ?? [];
    const reserved = plan("c");
    state.devices.reserve(reserved);
    expect(reasonsFor(usingClaims("d"), state)).toEqual({ b: [] });
    // Its own claim is being written, so other pods that share it wait.
    expect(reasonsFor(usingClaims("c"), state)["a"]).toEqual([
      "resource claim default/c is in the process of being allocated",
    ]);
    state.devices.release(reserved);
    expect(reasonsFor(usingClaims("d"), state)).toEqual({ a: [], b: [] });

    state.devices.reserve(reserved);
    const [allocation] = reserved.map((each) => each.allocation);
    const written = (resourceVersion: string) => ({
      ...c,
      metadata: { ...c.metadata, resourceVersion },
      status: { allocation },
    });
    state.devices.written(written("12") as ResourceClaim);
    // The informer is behind: it shows the claim with its finalizer, and without its devices.
    state.devices.putClaim({ ...c, metadata: { ...c.metadata, resourceVersion: "9" } });
    expect(reasonsFor(usingClaims("d"), state)).toEqual({ b: [] });
    state.devices.putClaim({ ...c, metadata: { ...c.metadata, resourceVersion: "13" } });
    expect(reasonsFor(usingClaims("d"), state)).toEqual({ a: [], b: [] });
  });

  test("is empty for a pod without claims", () => {
    const options = { snapshot: clusterWith(), plugins: defaultPlugins };
    expect(planReservation(podInfo("plain"), "a", options)).toBeUndefined();
  });

  test("is removed with a claim that is removed or replaced by another of its name", () => {
    const first = aDeviceClaim("c", one, taken("a", "g"));
    const state = clusterWith(first, aDeviceClaim("d", one));
    expect(reasonsFor(usingClaims("d"), state)).toEqual({ b: [] });
    state.devices.putClaim({ ...aDeviceClaim("c", one), metadata: { ...first.metadata, uid: "other" } });
    expect(reasonsFor(usingClaims("d"), state)).toEqual({ a: [], b: [] });
  });
});

describe("a claim whose devices keep its pod off a node", () => {
  const elsewhere = { nodeSelector: { "kubernetes.io/hostname": "b" } };
  const pod = (name: string) => {
    const using = usingClaims(name);
    return { ...using, spec: { ...using.spec, containers: using.spec?.containers ?? [], ...elsewhere } } as Pod;
  };
  test.each<[string, string | undefined, ResourceClaim]>([
    ["is deallocated if no pod uses it", "c", aDeviceClaim("c", one, taken("a", "g"))],
    ["is deallocated if only the pod uses it", "c", aDeviceClaim("c", one, taken("a", "g", ["uid-web"]))],
    ["is kept for others that use it", undefined, aDeviceClaim("c", one, taken("a", "g", ["other"]))],
    [
      "is not deallocated without devices",
      undefined,
      aDeviceClaim("c", { requests: [aDeviceRequest("r", { count: 2 })] }),
    ],
  ])("%s", (_name, expected, claim) => {
    const state = clusterWith(claim);
    const info = podInfoOf(pod("c"));
    const rejections = filterNodes(info, state, { plugins: defaultPlugins }).rejections();
    expect(idleClaimOf(info, state, rejections)?.metadata.name).toBe(expected);
  });
});

describe("the events that may help a pod that waits for devices", () => {
  const claim = aDeviceClaim("c", one);
  const other = aDeviceClaim("other", one);
  const freed = taken("a", "g")?.allocation;
  test.each<[string, boolean, ClusterEvent]>([
    ["its claim is added", true, { is: "ResourceClaimAdd", claim }],
    ["its claim changes", true, { is: "ResourceClaimUpdate", claim, freed: undefined }],
    ["another claim is added", false, { is: "ResourceClaimAdd", claim: other }],
    ["another claim changes", false, { is: "ResourceClaimUpdate", claim: other, freed: undefined }],
    ["another claim releases devices", true, { is: "ResourceClaimUpdate", claim: other, freed }],
    ["another claim is removed with its devices", true, { is: "ResourceClaimDelete", claim: other, freed }],
    ["a class is added", true, { is: "DeviceClassAdd", deviceClass: aDeviceClass("gpu") }],
    ["a slice changes", true, { is: "ResourceSliceUpdate", slice: aSlice() }],
    ["a node is added", true, { is: "NodeAdd", node: aNode("n") }],
    ["a pod is removed", false, { is: "AssignedPodDelete", pod: podInfo("p"), nodeName: "a" }],
  ])("%s", (_name, expected, event) => {
    expect(dynamicResources.mayHelp?.(podInfoOf(usingClaims("c")), event)).toBe(expected);
    expect(dynamicResources.mayHelp?.(podInfo("plain"), event)).toBe(false);
  });
});
