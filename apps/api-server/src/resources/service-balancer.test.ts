import { expect, test } from "vitest";
import { TestServer } from "../testing/test-server.ts";

const path = "/api/v1/namespaces/default/services";
const balanced = (spec: object = {}) => ({
  metadata: { name: "web" },
  spec: { type: "LoadBalancer", ports: [{ port: 80 }], ...spec },
});
const local = { externalTrafficPolicy: "Local" };

test("a Service whose load balancer leads to local endpoints gets a health check port and keeps it", async () => {
  await using server = await TestServer.start();
  const { json: made } = await server.post(path, balanced(local));
  const port = made.spec.healthCheckNodePort;
  expect(port).toBeGreaterThanOrEqual(30_000);
  expect(port).not.toBe(made.spec.ports[0].nodePort);
  const { healthCheckNodePort: _, ...rest } = made.spec;
  expect((await server.put(`${path}/web`, { ...made, spec: rest })).json.spec.healthCheckNodePort).toBe(port);
  const changed = await server.patch(`${path}/web`, {
    spec: { healthCheckNodePort: port === 30_001 ? 30_002 : 30_001 },
  });
  expect(changed.json.message).toContain("spec.healthCheckNodePort: Forbidden: field is immutable");
  const cluster = await server.patch(`${path}/web`, { spec: { externalTrafficPolicy: "Cluster" } });
  expect(cluster.json.spec.healthCheckNodePort).toBeUndefined();
});

test("the health check port is one of the node ports, so no other Service gets it", async () => {
  await using server = await TestServer.start();
  await server.post(path, balanced({ ...local, healthCheckNodePort: 31_234 }));
  const other = { metadata: { name: "other" }, spec: { type: "NodePort", ports: [{ port: 80, nodePort: 31_234 }] } };
  expect(await server.post(path, other)).toMatchObject({
    status: 422,
    json: { message: /provided port is already allocated/ },
  });
});

test("a load balancer that does not need node ports is not assigned any, and keeps the node ports that the client names", async () => {
  await using server = await TestServer.start();
  const ports = [
    { name: "http", port: 80 },
    { name: "https", port: 443, nodePort: 32_443 },
  ];
  const { json } = await server.post(path, balanced({ allocateLoadBalancerNodePorts: false, ports }));
  expect(json.spec.ports.map(({ nodePort }: { nodePort?: number }) => nodePort)).toEqual([undefined, 32_443]);
});

test.each([
  [{ type: "NodePort", loadBalancerClass: "example.org/x" }, "spec.loadBalancerClass: Forbidden: may only be used"],
  [
    { type: "NodePort", allocateLoadBalancerNodePorts: true },
    "spec.allocateLoadBalancerNodePorts: Forbidden: may only",
  ],
  [{ healthCheckNodePort: 31_000 }, "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is"],
  [{ loadBalancerClass: "not a name" }, "spec.loadBalancerClass: Invalid value"],
])("%j is rejected in upstream's words", async (spec, why) => {
  await using server = await TestServer.start();
  const { status, json } = await server.post(path, balanced(spec));
  expect(status).toBe(422);
  expect(json.message).toContain(why);
});

test("the class of a load balancer is immutable and is removed with the type", async () => {
  await using server = await TestServer.start();
  await server.post(path, balanced({ loadBalancerClass: "example.org/x" }));
  const changed = await server.patch(`${path}/web`, { spec: { loadBalancerClass: "example.org/y" } });
  expect(changed.json.message).toContain(
    'spec.loadBalancerClass: Invalid value: "example.org/y": may not change once set',
  );
  const { json } = await server.patch(`${path}/web`, { spec: { type: "ClusterIP" } });
  expect(json.spec).toMatchObject({ type: "ClusterIP" });
  expect(Object.keys(json.spec)).not.toContain("loadBalancerClass");
  expect(Object.keys(json.spec)).not.toContain("allocateLoadBalancerNodePorts");
});
