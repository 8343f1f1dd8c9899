import type { EndpointSlice, Pod, Service } from "@kintsugi/api";
import { describe, expect, test } from "vitest";
import { aServedPod, aService } from "../../shared/service-endpoints/testing/service-world.ts";
import { aNode } from "../../testing/test-cluster.ts";
import { planEndpointSlices, type SlicePlan } from "./plan.ts";

const nodes = [aNode("n1", { labels: { "topology.kubernetes.io/zone": "z1" } }), aNode("n2")];
const findNode = (name: string) => nodes.find(({ metadata }) => metadata.name === name);

function plan(service: Service, pods: readonly Pod[], slices: readonly EndpointSlice[] = [], endpointsPerSliceMax = 3) {
  return planEndpointSlices({ service, pods, findNode, slices }, { endpointsPerSliceMax });
}

/** Returns the slices after the plan has been carried out. */
function after(slices: readonly EndpointSlice[], { create, update, remove }: SlicePlan): EndpointSlice[] {
  const gone = new Set(remove.map(({ metadata }) => metadata.name));
  const written = new Map(update.map((slice) => [slice.metadata.name, slice]));
  const kept = slices.filter(({ metadata }) => !gone.has(metadata.name));
  const named = create.map((slice, i) => ({
    ...slice,
    metadata: { ...slice.metadata, name: `web-${slices.length + i}`, uid: `uid-${slices.length + i}` },
  }));
  return [...kept.map((slice) => written.get(slice.metadata.name) ?? slice), ...named];
}

const made = (service: Service, pods: readonly Pod[], max = 3) => after([], plan(service, pods, [], max));
const podsOf = ({ endpoints = [] }: EndpointSlice) => endpoints.map(({ targetRef }) => targetRef?.name);
const shape = (slices: readonly EndpointSlice[]) => slices.map(podsOf);
const some = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => aServedPod(`p${from + i}`));
const nothing = { create: [], update: [], remove: [], nodeless: [] };

describe("a slice", () => {
  test("describes the pod and the Service that owns it", () => {
    const service = aService({}, { labels: { app: "web", "kubernetes.io/service-name": "other" } });
    const [slice] = plan(service, [aServedPod("p1")]).create;
    expect(slice).toEqual({
      apiVersion: "discovery.k8s.io/v1",
      kind: "EndpointSlice",
      metadata: {
        generateName: "web-",
        namespace: "default",
        labels: {
          app: "web",
          "kubernetes.io/service-name": "web",
          "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io",
        },
        ownerReferences: [
          {
            apiVersion: "v1",
            kind: "Service",
            name: "web",
            uid: "uid-of-service",
            controller: true,
            blockOwnerDeletion: true,
          },
        ],
      },
      addressType: "IPv4",
      ports: [{ name: "", protocol: "TCP", port: 8080 }],
      endpoints: [
        {
          addresses: ["10.0.0.1"],
          conditions: { ready: true, serving: true, terminating: false },
          targetRef: { kind: "Pod", namespace: "default", name: "p1", uid: "uid-of-p1" },
          nodeName: "n1",
          zone: "z1",
        },
      ],
    });
  });

  test.each([
    { state: "Ready", traits: {}, ready: true, serving: true, terminating: false },
    { state: "not Ready", traits: { ready: false }, ready: false, serving: false, terminating: false },
    { state: "Ready and ending", traits: { deletedMs: 5 }, ready: false, serving: true, terminating: true },
    { state: "ending", traits: { ready: false, deletedMs: 5 }, ready: false, serving: false, terminating: true },
  ])(
    "reports the true state of a $state pod, and reports it as ready if all pods are published",
    ({ traits, ...conditions }) => {
      const { state: _, ...expected } = conditions;
      const pods = [aServedPod("p1", traits)];
      expect(made(aService(), pods)[0]?.endpoints?.[0]?.conditions).toEqual(expected);
      const published = made(aService({ publishNotReadyAddresses: true }), pods);
      expect(published[0]?.endpoints?.[0]?.conditions).toEqual({ ...expected, ready: true });
    },
  );

  test.each([
    ["PreferSameZone", [{ forZones: [{ name: "z1" }] }, undefined, undefined]],
    ["PreferClose", [{ forZones: [{ name: "z1" }] }, undefined, undefined]],
    [
      "PreferSameNode",
      [{ forZones: [{ name: "z1" }], forNodes: [{ name: "n1" }] }, { forNodes: [{ name: "n2" }] }, undefined],
    ],
    [undefined, [undefined, undefined, undefined]],
  ])("has hints for the clients near a ready endpoint, by %s", (trafficDistribution, hints) => {
    const pods = [aServedPod("p1"), aServedPod("p2", { node: "n2" }), aServedPod("p3", { ready: false })];
    const near = aService(trafficDistribution === undefined ? {} : { trafficDistribution });
    const [slice, ...others] = made(near, pods);
    expect([slice?.endpoints?.map((endpoint) => endpoint.hints), others]).toEqual([hints, []]);
    expect(plan(near, pods, slice ? [slice] : [])).toEqual(nothing);
    // The preference of a Service changes the slices that exist.
    const [changed] = plan(aService({ trafficDistribution: "PreferSameNode" }), pods, slice ? [slice] : []).update;
    expect(changed?.endpoints?.[0]?.hints ?? hints[0]).toEqual({
      forZones: [{ name: "z1" }],
      forNodes: [{ name: "n1" }],
    });
  });

  test("omits pods that have ended or have no address, and exists without endpoints", () => {
    const pods = [aServedPod("p1", { phase: "Succeeded" }), aServedPod("p2", { ips: [] })];
    const slices = made(aService(), pods);
    expect(slices).toMatchObject([{ endpoints: [], ports: [] }]);
    expect(plan(aService(), pods, slices)).toEqual(nothing);
  });

  test("omits and reports pods of an unknown node, and keeps them if all pods are published", () => {
    const pods = [aServedPod("p1"), aServedPod("p2", { node: "gone" })];
    const { create, nodeless } = plan(aService(), pods);
    expect(shape(create)).toEqual([["p1"]]);
    expect(nodeless).toEqual([pods[1]]);
    const all = plan(aService({ publishNotReadyAddresses: true }), pods);
    expect([shape(all.create), all.nodeless]).toEqual([[["p1", "p2"]], []]);
  });

  test("has the hostname of a pod only if the pod names the Service as its subdomain", () => {
    const inWeb = aServedPod("p1", { spec: { hostname: "first", subdomain: "web" } });
    const elsewhere = aServedPod("p2", { spec: { hostname: "second", subdomain: "other" } });
    const [slice] = made(aService({ clusterIP: "None" }), [inWeb, elsewhere]);
    expect(slice?.endpoints?.map(({ hostname }) => hostname)).toEqual(["first", undefined]);
    expect(slice?.metadata.labels).toHaveProperty(["service.kubernetes.io/headless"], "");
  });

  test("has a name that begins with the Service's name, with a dash if it fits", () => {
    const long = "a".repeat(252);
    const prefixOf = (name: string) => plan(aService({}, { name }), []).create[0]?.metadata.generateName;
    expect(prefixOf("web")).toBe("web-");
    expect(prefixOf(long)).toBe(long);
  });
});

describe("address families", () => {
  const pods = [aServedPod("p1", { ips: ["10.0.0.1", "fd00::1"] }), aServedPod("p2", { ips: ["fd00::2"] })];
  const addresses = (slices: readonly EndpointSlice[]) =>
    slices.map(({ addressType, endpoints = [] }) => [addressType, endpoints.flatMap((one) => one.addresses)]);

  test("each have their slices with their own addresses", () => {
    expect(addresses(made(aService({ ipFamilies: ["IPv6", "IPv4"] }), pods))).toEqual([
      ["IPv6", ["fd00::1", "fd00::2"]],
      ["IPv4", ["10.0.0.1"]],
    ]);
  });

  test("that a Service no longer has lose their slices", () => {
    const before = made(aService({ ipFamilies: ["IPv4", "IPv6"] }), pods);
    const { remove, update, create } = plan(aService(), pods, before);
    expect(remove.map(({ addressType }) => addressType)).toEqual(["IPv6"]);
    expect([update, create]).toEqual([[], []]);
  });

  test.each([
    { clusterIP: "10.96.0.10", types: ["IPv4"] },
    { clusterIP: "fd00::10", types: ["IPv6"] },
    { clusterIP: "None", types: ["IPv4", "IPv6"] },
  ])("of a Service at $clusterIP that names no families are $types", ({ clusterIP, types }) => {
    const service = aService({ clusterIP });
    delete service.spec?.ipFamilies;
    expect(made(service, pods).map(({ addressType }) => addressType)).toEqual(types);
  });
});

describe("ports", () => {
  const container = (ports: object[]) => ({ containers: [{ name: "main", image: "busybox", ports }] }) as never;
  const http = { ports: [{ name: "www", port: 80, targetPort: "http", protocol: "TCP" as const }] };

  test("by name are resolved for each pod, and pods with different ports are in different slices", () => {
    const pods = [
      aServedPod("p1", { spec: container([{ name: "http", containerPort: 8080 }]) }),
      aServedPod("p2", { spec: container([{ name: "http", containerPort: 9090 }]) }),
      aServedPod("p3", { spec: container([{ name: "http", containerPort: 8080, protocol: "TCP" }]) }),
      aServedPod("p4", { spec: container([{ name: "http", containerPort: 8080, protocol: "UDP" }]) }),
    ];
    const slices = made(aService(http), pods);
    expect(slices.map((slice) => [slice.ports, podsOf(slice)])).toEqual([
      [[{ name: "www", protocol: "TCP", port: 8080 }], ["p1", "p3"]],
      [[{ name: "www", protocol: "TCP", port: 9090 }], ["p2"]],
      [[], ["p4"]],
    ]);
    expect(plan(aService(http), pods, slices)).toEqual(nothing);
  });

  test("by name are also resolved in sidecars, but not in ordinary init containers", () => {
    const initContainers = (restartPolicy?: "Always") => ({
      initContainers: [
        { name: "side", image: "busybox", ports: [{ name: "http", containerPort: 7000 }], restartPolicy },
      ],
    });
    const portsWith = (restartPolicy?: "Always") =>
      made(aService(http), [aServedPod("p1", { spec: initContainers(restartPolicy) as never })])[0]?.ports;
    expect(portsWith("Always")).toEqual([{ name: "www", protocol: "TCP", port: 7000 }]);
    expect(portsWith()).toEqual([]);
  });

  test("that change move all endpoints by a write of the existing slice", () => {
    const pods = some(1, 2);
    const before = made(aService(), pods);
    const other = aService({ ports: [{ port: 80, targetPort: 9999, protocol: "TCP", appProtocol: "http" }] });
    const changes = plan(other, pods, before);
    expect(changes).toMatchObject({ create: [], remove: [], update: [{ metadata: { name: "web-0" } }] });
    expect(changes.update[0]).toMatchObject({
      ports: [{ name: "", protocol: "TCP", port: 9999, appProtocol: "http" }],
      metadata: { uid: "uid-0" },
    });
    expect(shape(changes.update)).toEqual([["p1", "p2"]]);
  });

  test("of a headless Service may be absent", () => {
    const headless = aService({ clusterIP: "None", ports: [] });
    expect(made(headless, some(1, 1))).toMatchObject([{ ports: [], endpoints: [{ addresses: ["10.0.0.1"] }] }]);
  });
});

describe("many endpoints", () => {
  const service = aService();

  test("are distributed over as few slices as possible", () => {
    expect(shape(made(service, some(1, 7)))).toEqual([["p1", "p2", "p3"], ["p4", "p5", "p6"], ["p7"]]);
    expect(made(service, some(1, 250), 100).map(({ endpoints = [] }) => endpoints.length)).toEqual([100, 100, 50]);
  });

  test("remain in their slices when endpoints are added: a single slice with enough space is written", () => {
    const before = made(service, some(1, 7));
    const changes = plan(service, some(1, 9), before);
    expect([shape(changes.update), changes.create, changes.remove]).toEqual([[["p7", "p8", "p9"]], [], []]);
  });

  test("that fit into no existing slice get a new slice, and the others are not written", () => {
    const before = made(service, some(1, 4), 3);
    const changes = plan(service, some(1, 7), before);
    expect([shape(changes.create), changes.update]).toEqual([[["p5", "p6", "p7"]], []]);
  });

  test("fill slices first that have to be written anyway, beginning with the fullest", () => {
    const before = made(service, some(1, 6));
    const pods = [...some(2, 3), ...some(6, 6), aServedPod("p8"), aServedPod("p9")];
    const changes = plan(service, pods, before);
    expect([shape(after(before, changes)), changes.create]).toEqual([
      [
        ["p2", "p3", "p8"],
        ["p6", "p9"],
      ],
      [],
    ]);
  });

  test("that are removed also remove an empty slice", () => {
    const before = made(service, some(1, 4));
    const changes = plan(service, some(1, 3), before);
    expect([changes.remove.map(podsOf), changes.update, changes.create]).toEqual([[["p4"]], [], []]);
  });

  test("that are all removed leave one empty slice, by one write", () => {
    const before = made(service, some(1, 2));
    const changes = plan(service, [], before);
    expect(changes).toMatchObject({ create: [], remove: [], update: [{ endpoints: [], ports: [] }] });
    expect(plan(service, [], after(before, changes))).toEqual(nothing);
    expect(shape(after(before, plan(service, some(1, 1), after(before, changes))))).toEqual([["p1"]]);
  });

  test("that are in two slices because of a stale cache are in one slice afterwards", () => {
    const [first] = made(service, some(1, 2));
    const second = { ...first!, metadata: { ...first!.metadata, name: "web-x", uid: "x" } };
    const changes = plan(service, some(1, 2), [first!, second]);
    expect([changes.remove, changes.update, changes.create]).toEqual([[second], [], []]);
  });
});

describe("existing slices", () => {
  const pods = some(1, 2);
  const before = made(aService(), pods);

  test("are not written while nothing changes", () => {
    expect(plan(aService(), pods.toReversed(), before)).toEqual(nothing);
  });

  test.each([
    { what: "readiness", change: aServedPod("p2", { ready: false }) },
    { what: "node", change: aServedPod("p2", { node: "n2" }) },
    { what: "UID", change: aServedPod("p2", { uid: "another" }) },
  ])("are written when the $what of a pod changes", ({ change }) => {
    const changes = plan(aService(), [pods[0]!, change], before);
    expect(changes).toMatchObject({ create: [], remove: [], update: [{ metadata: { name: "web-0" } }] });
    expect(plan(aService(), [pods[0]!, change], after(before, changes))).toEqual(nothing);
  });

  test("are written when the Service's labels change, and lose removed labels", () => {
    const labelled = plan(aService({}, { labels: { tier: "front" } }), pods, before);
    expect(labelled.update[0]?.metadata.labels).toMatchObject({ tier: "front", "kubernetes.io/service-name": "web" });
    const unlabelled = plan(aService(), pods, after(before, labelled));
    expect(unlabelled.update[0]?.metadata.labels).not.toHaveProperty("tier");
  });

  test("of an earlier Service of the same name are removed instead of written", () => {
    const again = aService({}, { uid: "uid-of-another" });
    const changes = plan(again, pods, before);
    expect([changes.remove, shape(changes.create), changes.update]).toEqual([before, [["p1", "p2"]], []]);
  });

  test("are updated while their Service is being deleted, and no slice is created", () => {
    const leaving = aService({}, { deletionTimestamp: "2026-01-01T00:01:00Z" });
    expect(plan(leaving, some(1, 4), []).create).toEqual([]);
    expect(shape(plan(leaving, some(1, 3), before).update)).toEqual([["p1", "p2", "p3"]]);
  });
});
