import { expect, onTestFinished, test } from "vitest";
import { TestServer } from "../testing/test-server.ts";
import type { ServerOptions } from "../server-options.ts";

async function start(options: Partial<ServerOptions> = {}): Promise<TestServer> {
  const server = await TestServer.start({
    serviceClusterIpRange: "10.96.0.0/24",
    advertised: { address: "192.0.2.10", port: 6443 },
    ...options,
  });
  onTestFinished(() => server[Symbol.asyncDispose]());
  await server.clock.settle();
  return server;
}

const at = {
  service: "/api/v1/namespaces/default/services/kubernetes",
  endpoints: "/api/v1/namespaces/default/endpoints/kubernetes",
  slice: "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes",
};
const read = async (server: TestServer, path: string) => (await server.get(path)).json;

test("the Service kubernetes has the first address of the range and leads to the server", async () => {
  const server = await start();
  expect(await read(server, at.service)).toMatchObject({
    metadata: { labels: { component: "apiserver", provider: "kubernetes" } },
    spec: {
      type: "ClusterIP",
      clusterIP: "10.96.0.1",
      clusterIPs: ["10.96.0.1"],
      sessionAffinity: "None",
      ports: [{ name: "https", port: 443, protocol: "TCP", targetPort: 6443 }],
    },
  });
  const endpoints = await read(server, at.endpoints);
  expect(endpoints.metadata.labels).toEqual({ "endpointslice.kubernetes.io/skip-mirror": "true" });
  expect(endpoints.subsets).toEqual([
    { addresses: [{ ip: "192.0.2.10" }], ports: [{ name: "https", port: 6443, protocol: "TCP" }] },
  ]);
  expect(await read(server, at.slice)).toMatchObject({
    metadata: { labels: { "kubernetes.io/service-name": "kubernetes" } },
    addressType: "IPv4",
    endpoints: [{ addresses: ["192.0.2.10"], conditions: { ready: true } }],
    ports: [{ name: "https", port: 6443, protocol: "TCP" }],
  });
});

test("a changed or deleted Service kubernetes is restored within ten seconds, and an intact one is not rewritten", async () => {
  const server = await start();
  const before = (await read(server, at.slice)).metadata.resourceVersion;
  await server.clock.advance(60_000);
  expect((await read(server, at.slice)).metadata.resourceVersion).toBe(before);
  const slice = await read(server, at.slice);
  await server.put(at.slice, { ...slice, endpoints: [{ addresses: ["192.0.2.66"] }] });
  await server.delete(at.service);
  await server.delete(at.endpoints);
  await server.clock.advance(10_000);
  expect((await read(server, at.slice)).endpoints[0].addresses).toEqual(["192.0.2.10"]);
  expect((await read(server, at.service)).spec.clusterIP).toBe("10.96.0.1");
  expect((await read(server, at.endpoints)).subsets).toHaveLength(1);
});

test("a server that is unreachable from outside has no such Service", async () => {
  const server = await start({ advertised: undefined });
  await server.clock.advance(30_000);
  expect((await server.get(at.service)).status).toBe(404);
});
