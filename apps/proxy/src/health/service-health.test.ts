import { get } from "node:http";
import { createServer, type AddressInfo } from "node:net";
import { type EndpointSlice, type Service, silentLogger } from "@kintsugi/api";
import { expect, onTestFinished, test } from "vitest";
import { planServiceHealth, ServiceHealthServers } from "./service-health.ts";

function service(name: string, spec: object): Service {
  const ports = [
    { name: "http", port: 80, protocol: "TCP" },
    { name: "https", port: 443, protocol: "TCP" },
  ];
  return { metadata: { name, namespace: "default" }, spec: { ports, ...spec } } as Service;
}

function slice(name: string, endpoints: readonly [address: string, node: string, ready: boolean][]): EndpointSlice {
  return {
    metadata: { name: `${name}-1`, namespace: "default", labels: { "kubernetes.io/service-name": name } },
    addressType: "IPv4",
    ports: [
      { name: "http", port: 8080, protocol: "TCP" },
      { name: "https", port: 8443, protocol: "TCP" },
    ],
    endpoints: endpoints.map(([address, nodeName, ready]) => ({
      addresses: [address],
      nodeName,
      conditions: { ready },
    })),
  } as EndpointSlice;
}

const local = { type: "LoadBalancer", externalTrafficPolicy: "Local", healthCheckNodePort: 31_000 };

test("only ready endpoints of this node count, each of them once", () => {
  const slices = [
    slice("web", [
      ["10.0.1.1", "node-1", true],
      ["10.0.1.2", "node-1", false],
      ["10.0.2.1", "node-2", true],
    ]),
  ];
  const planned = planServiceHealth([service("web", local)], slices, "node-1");
  expect([...planned.values()]).toEqual([{ namespace: "default", name: "web", port: 31_000, localEndpoints: 1 }]);
});

test("a Service that leads to all nodes has no health check port", () => {
  const others = [
    service("a", { ...local, externalTrafficPolicy: "Cluster" }),
    service("b", { ...local, type: "NodePort" }),
    service("c", { ...local, healthCheckNodePort: 0 }),
  ];
  expect(planServiceHealth(others, [], "node-1").size).toBe(0);
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function statusAt(port: number): Promise<string> {
  return new Promise((resolve) => {
    get({ host: "127.0.0.1", port, path: "/healthz", agent: false }, (response) => {
      response.resume();
      resolve(`${response.statusCode} ${response.headers["x-load-balancing-endpoint-weight"] as string}`);
    }).on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? ""));
  });
}

test("a balancer reads from the port whether to route here, and reads nothing once the Service no longer exists", async () => {
  const port = await freePort();
  const state = { healthy: true };
  const servers = new ServiceHealthServers({ log: silentLogger, proxyHealthy: () => state.healthy });
  onTestFinished(() => servers.close());
  const at = (localEndpoints: number) => new Map([[port, { namespace: "default", name: "web", port, localEndpoints }]]);
  servers.apply(at(2));
  expect(await statusAt(port)).toBe("200 2");
  servers.apply(at(0));
  expect(await statusAt(port)).toBe("503 0");
  servers.apply(at(1));
  state.healthy = false;
  expect(await statusAt(port)).toBe("503 1");
  servers.apply(new Map());
  expect(await statusAt(port)).toBe("ECONNREFUSED");
});
