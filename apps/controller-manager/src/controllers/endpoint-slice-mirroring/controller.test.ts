import type { Endpoints, EndpointSlice, Service } from "@kintsugi/api";
import { describe, expect, test } from "vitest";
import { ControllerTestCluster } from "../../testing/test-cluster.ts";
import { endpointSliceMirroringController } from "./controller.ts";

type Subset = NonNullable<Endpoints["subsets"]>[number];

const metadata = { name: "web", namespace: "default" };
const bare: Service = { metadata: { ...metadata, uid: "s" }, spec: { ports: [{ port: 80 }] } } as Service;
const selecting = { ...bare, spec: { ...bare.spec, selector: { app: "web" } } } as Service;

function handMade(subsets: readonly Subset[], more: Partial<Endpoints["metadata"]> = {}): Endpoints {
  return { metadata: { ...metadata, uid: "e", ...more }, subsets: [...subsets] };
}

const at = (...ips: string[]): Subset => ({ addresses: ips.map((ip) => ({ ip })), ports: [{ port: 8080 }] });

async function aCluster(
  service: Service | undefined,
  endpoints?: Endpoints,
  options = {},
): Promise<ControllerTestCluster> {
  const cluster = new ControllerTestCluster(options);
  if (service) cluster.put("services", service);
  if (endpoints) cluster.put("endpoints", endpoints);
  await start(cluster);
  return cluster;
}

async function start(cluster: ControllerTestCluster): Promise<void> {
  await cluster.start(endpointSliceMirroringController);
  await cluster.clock.advance(2000);
}

const slicesIn = (cluster: ControllerTestCluster) => cluster.api.log.list("endpointslices") as EndpointSlice[];
const addressesIn = (cluster: ControllerTestCluster) =>
  slicesIn(cluster)
    .flatMap(({ endpoints = [] }) => endpoints.flatMap(({ addresses }) => addresses))
    .toSorted();
const writes = (cluster: ControllerTestCluster) => cluster.paths.filter((path) => /^(POST|PUT|DELETE)/.test(path));

test("Endpoints of a Service without selector are mirrored, updated and removed with it", async () => {
  const cluster = await aCluster(
    bare,
    handMade(
      [
        {
          addresses: [{ ip: "10.1.2.3", hostname: "h", nodeName: "n" }],
          notReadyAddresses: [{ ip: "10.1.2.4" }],
          ports: [{ name: "http", port: 8080, appProtocol: "h2c" }],
        },
      ],
      {
        labels: { team: "a", "endpointslice.kubernetes.io/managed-by": "forged" },
        annotations: { note: "x", "kubectl.kubernetes.io/last-applied-configuration": "{}" },
      },
    ),
  );
  const [slice] = slicesIn(cluster);
  expect(slice).toMatchObject({
    metadata: {
      labels: {
        team: "a",
        "kubernetes.io/service-name": "web",
        "endpointslice.kubernetes.io/managed-by": "endpointslicemirroring-controller.k8s.io",
      },
      annotations: { note: "x" },
      ownerReferences: [{ kind: "Endpoints", name: "web", uid: "e", controller: true }],
    },
    addressType: "IPv4",
    ports: [{ name: "http", port: 8080, protocol: "TCP", appProtocol: "h2c" }],
    endpoints: [
      { addresses: ["10.1.2.3"], conditions: { ready: true }, hostname: "h", nodeName: "n" },
      { addresses: ["10.1.2.4"], conditions: { ready: false } },
    ],
  });
  expect(slice?.metadata.name).toMatch(/^web-[a-z0-9]{5}$/);
  expect(slice?.metadata.annotations).toEqual({ note: "x" });
  cluster.put("endpoints", handMade([at("10.2.3.4")]));
  await cluster.clock.settle();
  expect(addressesIn(cluster)).toEqual(["10.2.3.4"]);
  cluster.remove("endpoints", handMade([]));
  await cluster.clock.settle();
  expect(slicesIn(cluster)).toEqual([]);
  await cluster.stop();
});

test("families and ports have separate slices, and addresses that cannot be mirrored are reported", async () => {
  const cluster = await aCluster(
    bare,
    handMade([
      { ...at("10.0.0.1", "10.0.0.2", "10.0.0.3", "not-an-ip"), notReadyAddresses: [{ ip: "10.0.0.4" }] },
      { addresses: [{ ip: "fd00::1" }, { ip: "10.0.0.9" }], ports: [{ port: 9090 }] },
      { ports: [{ port: 1 }] },
    ]),
    { mirroringMaxEndpointsPerSubset: 2 },
  );
  const shown = slicesIn(cluster).map(({ addressType, ports = [], endpoints = [] }) =>
    [addressType, ports.map(({ port }) => port), ...endpoints.flatMap(({ addresses }) => addresses)].join(" "),
  );
  expect(shown.toSorted()).toEqual(["IPv4 8080 10.0.0.1 10.0.0.2", "IPv4 9090 10.0.0.9", "IPv6 9090 fd00::1"]);
  expect(cluster.reasons()).toEqual([
    "InvalidIPAddress: Skipped 1 invalid IP addresses when mirroring to EndpointSlices",
    "TooManyAddressesToMirror: A max of 2 addresses can be mirrored to EndpointSlices per Endpoints subset. 2 addresses were skipped",
  ]);
  expect([...cluster.eventSources]).toEqual(["endpoint-slice-mirroring-controller"]);
  await cluster.stop();
});

describe("Endpoints are not mirrored", () => {
  test.each<[string, Service | undefined, Endpoints]>([
    ["of a Service with a selector", selecting, handMade([at("10.0.0.1")])],
    ["without a Service", undefined, handMade([at("10.0.0.1")])],
    [
      "with the label that requests it",
      bare,
      handMade([at("10.0.0.1")], { labels: { "endpointslice.kubernetes.io/skip-mirror": "true" } }),
    ],
    [
      "that are the lock of an election",
      bare,
      handMade([at("10.0.0.1")], { annotations: { "control-plane.alpha.kubernetes.io/leader": "{}" } }),
    ],
    ["that are being deleted", bare, handMade([at("10.0.0.1")], { deletionTimestamp: "2026-01-01T00:00:00Z" })],
  ])("%s", async (_, service, endpoints) => {
    const cluster = await aCluster(service, endpoints);
    expect(slicesIn(cluster)).toEqual([]);
    await cluster.stop();
  });
});

test("slices are created and removed with the selector and the Service, and slices of other clients remain", async () => {
  const cluster = await aCluster(bare, handMade([at("10.0.0.1")]));
  const others = {
    metadata: { name: "web-other", namespace: "default", labels: { "kubernetes.io/service-name": "web" } },
    addressType: "IPv4",
    endpoints: [{ addresses: ["10.9.9.9"] }],
  } as EndpointSlice;
  cluster.put("endpointslices", others);
  cluster.put("services", selecting);
  await cluster.clock.advance(2000);
  expect(addressesIn(cluster)).toEqual(["10.9.9.9"]);
  cluster.put("services", bare);
  await cluster.clock.advance(2000);
  expect(addressesIn(cluster)).toEqual(["10.0.0.1", "10.9.9.9"]);
  cluster.remove("services", bare);
  await cluster.clock.advance(2000);
  expect(addressesIn(cluster)).toEqual(["10.9.9.9"]);
  await cluster.stop();
});

test("a slice that another client changes or deletes is restored, and nothing else is written", async () => {
  const cluster = await aCluster(bare, handMade([at("10.0.0.1")]));
  const before = writes(cluster).length;
  await cluster.kill();
  await start(cluster);
  expect(writes(cluster)).toHaveLength(before);
  const [slice] = slicesIn(cluster);
  cluster.put("endpointslices", { ...slice!, endpoints: [{ addresses: ["10.6.6.6"] }] } as EndpointSlice);
  await cluster.clock.advance(2000);
  expect(addressesIn(cluster)).toEqual(["10.0.0.1"]);
  cluster.remove("endpointslices", slicesIn(cluster)[0]!);
  await cluster.clock.advance(2000);
  expect(addressesIn(cluster)).toEqual(["10.0.0.1"]);
  await cluster.stop();
});

test("slices whose Endpoints were removed while no process ran are removed at the next start", async () => {
  const cluster = await aCluster(bare, handMade([at("10.0.0.1")]));
  await cluster.kill();
  cluster.remove("endpoints", handMade([]));
  await start(cluster);
  expect(slicesIn(cluster)).toEqual([]);
  await cluster.stop();
});

test("after a write at which the process crashes, the next process finishes with every address once", async () => {
  for (const fate of ["hang", "never answer", "lose answer", "refuse"] as const) {
    for (let at_ = 0; at_ < 3; at_++) {
      const cluster = new ControllerTestCluster();
      cluster.put("services", bare);
      cluster.put("endpoints", handMade([at("10.0.0.1"), { ...at("10.0.0.2"), ports: [{ port: 1 }] }]));
      let count = 0;
      cluster.interfere = ({ method }) => (method !== "GET" && count++ === at_ ? fate : "pass");
      await start(cluster);
      await cluster.kill();
      cluster.interfere = () => "pass";
      await start(cluster);
      expect(addressesIn(cluster)).toEqual(["10.0.0.1", "10.0.0.2"]);
      await cluster.kill();
    }
  }
});
