import type { Endpoints, Pod, Service } from "@kintsugi/api";
import { describe, expect, test } from "vitest";
import { aServedPod, aService } from "../../shared/service-endpoints/testing/service-world.ts";
import { planEndpoints } from "./plan.ts";

const plan = (service: Service, pods: readonly Pod[], current?: Endpoints) =>
  planEndpoints({ service, pods, current, triggerTime: undefined });
const subsetsOf = (service: Service, pods: readonly Pod[]) => plan(service, pods)?.subsets;
const ips = (addresses: readonly { ip: string }[] = []) => addresses.map(({ ip }) => ip);
const container = (ports: object[]) => ({ containers: [{ name: "main", image: "busybox", ports }] }) as never;

test("Endpoints list the pods by address, and the pods that are not ready", () => {
  const pods = [aServedPod("p2"), aServedPod("p1"), aServedPod("p3", { ready: false })];
  const made = planEndpoints({
    service: aService({}, { labels: { tier: "front" } }),
    pods,
    current: undefined,
    triggerTime: "2026-01-01T00:00:00Z",
  });
  const address = (name: string, ip: string) => ({
    ip,
    nodeName: "n1",
    targetRef: { kind: "Pod", namespace: "default", name, uid: `uid-of-${name}` },
  });
  expect(made).toEqual({
    apiVersion: "v1",
    kind: "Endpoints",
    metadata: {
      name: "web",
      namespace: "default",
      labels: { tier: "front" },
      annotations: { "endpoints.kubernetes.io/last-change-trigger-time": "2026-01-01T00:00:00Z" },
    },
    subsets: [
      {
        addresses: [address("p1", "10.0.0.1"), address("p2", "10.0.0.2")],
        notReadyAddresses: [address("p3", "10.0.0.3")],
        ports: [{ port: 8080, protocol: "TCP" }],
      },
    ],
  });
});

describe("pods", () => {
  test.each([
    { who: "end", traits: { deletedMs: 5 } },
    { who: "have ended", traits: { phase: "Failed" as const } },
    { who: "have no address", traits: { ips: [] } },
    { who: "have an address of another family", traits: { ips: ["fd00::1"] } },
  ])("that $who are omitted", ({ traits }) => {
    expect(subsetsOf(aService(), [aServedPod("p1", traits)])).toEqual([]);
  });

  test("that are terminating or not Ready count as ready if all pods are published", () => {
    const pods = [aServedPod("p1", { deletedMs: 5 }), aServedPod("p2", { ready: false })];
    const [subset] = subsetsOf(aService({ publishNotReadyAddresses: true }), pods) ?? [];
    expect([ips(subset?.addresses), subset?.notReadyAddresses]).toEqual([["10.0.0.1", "10.0.0.2"], undefined]);
  });

  test("are listed with the first address family of their Service", () => {
    const pods = [aServedPod("p1", { ips: ["10.0.0.1", "fd00::1"] })];
    const familyOf = (service: Service) => ips(subsetsOf(service, pods)?.[0]?.addresses);
    expect(familyOf(aService({ ipFamilies: ["IPv6", "IPv4"] }))).toEqual(["fd00::1"]);
    const { ipFamilies: _, ...spec } = aService().spec ?? {};
    expect(familyOf({ ...aService(), spec: { ...spec, clusterIP: "fd00::99" } })).toEqual(["fd00::1"]);
    expect(familyOf({ ...aService(), spec: { ...spec, clusterIP: "None" } })).toEqual(["10.0.0.1"]);
  });
});

describe("ports", () => {
  const two = aService({
    ports: [
      { name: "a", port: 80, targetPort: "http", protocol: "TCP" },
      { name: "b", port: 81, targetPort: 9000, protocol: "TCP" },
    ],
  });
  const http = (port: number) => ({ spec: container([{ name: "http", containerPort: port }]) });

  test("that lead to the same pods share a subset, and other ports have their own subset", () => {
    const pods = [aServedPod("p1", http(8080)), aServedPod("p2", http(8080)), aServedPod("p3")];
    const subsets = subsetsOf(two, pods) ?? [];
    expect(subsets.map(({ addresses, ports }) => [ips(addresses), ports?.map(({ port }) => port)])).toEqual([
      [["10.0.0.1", "10.0.0.2", "10.0.0.3"], [9000]],
      [["10.0.0.1", "10.0.0.2"], [8080]],
    ]);
    const alike = subsetsOf(two, pods.slice(0, 2)) ?? [];
    expect(alike.map(({ ports }) => ports?.map(({ name, port }) => [name, port]))).toEqual([
      [
        ["a", 8080],
        ["b", 9000],
      ],
    ]);
  });

  test("are not needed by a headless Service, which has the headless label", () => {
    const made = plan(aService({ clusterIP: "None", ports: [] }), [aServedPod("p1")]);
    expect(made?.subsets).toMatchObject([{ addresses: [{ ip: "10.0.0.1" }] }]);
    expect(made?.subsets?.[0]).not.toHaveProperty("ports");
    expect(made?.metadata.labels).toEqual({ "service.kubernetes.io/headless": "" });
  });
});

describe("existing Endpoints", () => {
  const stored = (made: Endpoints | undefined) =>
    ({ ...made, metadata: { ...made?.metadata, uid: "u", resourceVersion: "7" } }) as Endpoints;

  test.each([{ clusterIP: "10.96.0.10" }, { clusterIP: "None" }])(
    "are not written while their content is the same: $clusterIP",
    (spec) => {
      const current = stored(plan(aService(spec), [aServedPod("p1"), aServedPod("p2")]));
      expect(plan(aService(spec), [aServedPod("p2"), aServedPod("p1")], current)).toBeUndefined();
    },
  );

  test("are written with the read revision when a pod or the Service's labels change", () => {
    const current = stored(plan(aService(), [aServedPod("p1")]));
    const pod = plan(aService(), [aServedPod("p1", { ready: false })], current);
    expect(pod).toMatchObject({ metadata: { uid: "u", resourceVersion: "7" } });
    expect(pod?.subsets).toMatchObject([{ notReadyAddresses: [{ ip: "10.0.0.1" }] }]);
    const labelled = plan(aService({}, { labels: { a: "b" } }), [aServedPod("p1")], current);
    expect(labelled?.metadata.labels).toEqual({ a: "b" });
  });
});

describe("more addresses than an object may have", () => {
  const many = (count: number, from: number, ready: boolean, port = 8080) =>
    Array.from({ length: count }, (_, i) =>
      aServedPod(`p${from + i}`, {
        ready,
        ips: [`10.${(from + i) >> 8}.0.${(from + i) & 255}`],
        spec: container([{ name: "http", containerPort: port }]),
      }),
    );
  const byName = aService({ ports: [{ port: 80, targetPort: "http", protocol: "TCP" }] });
  const lengths = (made: Endpoints | undefined) =>
    made?.subsets?.map(({ addresses = [], notReadyAddresses = [] }) => [addresses.length, notReadyAddresses.length]);
  const overCapacity = ["endpoints.kubernetes.io/over-capacity"];

  test("are omitted with a report, the unready addresses first", () => {
    const made = plan(byName, [...many(900, 0, true), ...many(300, 900, false)]);
    expect(lengths(made)).toEqual([[900, 100]]);
    expect(made?.metadata.annotations).toHaveProperty(overCapacity, "truncated");
    expect(plan(byName, [...many(900, 0, true), ...many(300, 900, false)], made)).toBeUndefined();
    const fewer = plan(byName, many(900, 0, true), made);
    expect(lengths(fewer)).toEqual([[900, 0]]);
    expect(fewer?.metadata.annotations).not.toHaveProperty(overCapacity);
  });

  test("are omitted from each subset by its share", () => {
    const pods = [...many(1500, 0, true), ...many(500, 1500, true, 9090), ...many(10, 2000, false)];
    expect(lengths(plan(byName, pods))).toEqual([
      [750, 0],
      [250, 0],
    ]);
  });
});
