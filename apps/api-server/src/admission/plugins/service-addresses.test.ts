import { expect, onTestFinished, test } from "vitest";
import type { ServerOptions } from "../../server-options.ts";
import { TestServer } from "../../testing/test-server.ts";

const services = "/api/v1/namespaces/default/services";

const aService = (spec: Record<string, unknown>, name = "web") => ({
  metadata: { name },
  spec: { ports: [{ port: 80 }], ...spec },
});

const aNode = {
  metadata: { name: "node-1" },
  spec: { podCIDRs: ["10.1.1.0/24"] },
  status: {
    addresses: [
      { type: "InternalIP", address: "192.0.2.11" },
      { type: "ExternalIP", address: "2001:db8::11" },
      { type: "Hostname", address: "192.0.2.99" },
    ],
  },
};

const options: Partial<ServerOptions> = {
  advertised: { address: "192.0.2.1", port: 6443 },
  reservedAddresses: ["192.0.2.2", "192.0.2.64/28"],
};

async function start(): Promise<TestServer> {
  const server = await TestServer.start(options);
  onTestFinished(() => server[Symbol.asyncDispose]());
  await server.post("/api/v1/nodes", aNode);
  return server;
}

test.each([
  ["192.0.2.1", "the control plane"],
  ["192.0.2.2", "the control plane"],
  ["192.0.2.70", "the control plane"],
  ["192.0.2.11", "a node"],
  ["2001:db8:0::11", "a node"],
  ["::ffff:192.0.2.11", "a node"],
  ["10.1.1.7", "pods"],
  ["10.96.3.4", "Services"],
])("a Service cannot have %s, an address of %s, when it is created or changed", async (address, owner) => {
  const server = await start();
  const because = `spec.externalIPs[1]: ${address} is an address of ${owner}, which a Service may not have`;
  const refused = { status: 403, json: { reason: "Forbidden", message: `services "web" is forbidden: ${because}` } };
  const externalIPs = ["198.51.100.7", address];
  expect(await server.post(services, aService({ externalIPs }))).toMatchObject(refused);
  await server.post(services, aService({}));
  expect(await server.patch(`${services}/web`, { spec: { externalIPs } })).toMatchObject(refused);
});

test("other addresses are accepted, and so are the names of nodes", async () => {
  const server = await start();
  const externalIPs = ["198.51.100.7", "192.0.2.99", "10.1.2.1"];
  expect(await server.post(services, aService({ externalIPs }))).toMatchObject({ status: 201 });
});

test("a Service whose address became a node's address later can be changed in other fields", async () => {
  const server = await start();
  await server.post(services, aService({ externalIPs: ["192.0.2.12"] }));
  const joined = {
    ...aNode,
    metadata: { name: "node-2" },
    status: { addresses: [{ type: "InternalIP", address: "192.0.2.12" }] },
  };
  await server.post("/api/v1/nodes", joined);
  const labelled = await server.patch(`${services}/web`, { metadata: { labels: { a: "b" } } });
  expect(labelled.json).toMatchObject({ metadata: { labels: { a: "b" } }, spec: { externalIPs: ["192.0.2.12"] } });
  const more = await server.patch(`${services}/web`, { spec: { externalIPs: ["192.0.2.12", "192.0.2.11"] } });
  expect(more.status).toBe(403);
});

test.each([[10_250], [29_999], [32_768]])(
  "node port %i, which may be the machine's own, is refused",
  async (nodePort) => {
    const server = await start();
    const text = "provided port is not in the valid range. The range of valid ports is 30000-32767";
    const asNodePort = aService({ type: "NodePort", ports: [{ port: 80, nodePort }] });
    expect(await server.post(services, asNodePort)).toMatchObject({
      status: 422,
      json: { message: expect.stringContaining(`spec.ports.nodePort: Invalid value: ${text}`) },
    });
    const forHealth = aService({ type: "LoadBalancer", externalTrafficPolicy: "Local", healthCheckNodePort: nodePort });
    expect(await server.post(services, forHealth)).toMatchObject({
      status: 422,
      json: { message: expect.stringContaining(`spec.healthCheckNodePort: Invalid value: ${text}`) },
    });
  },
);

test("the node port range includes both of its ends", async () => {
  const server = await start();
  const ports = [30_000, 32_767].map((nodePort) => ({ name: `p${nodePort}`, port: nodePort, nodePort }));
  expect(await server.post(services, aService({ type: "NodePort", ports }))).toMatchObject({ status: 201 });
});
