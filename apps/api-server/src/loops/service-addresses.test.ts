import { describe, expect, onTestFinished, test } from "vitest";
import type { ServerOptions } from "../server-options.ts";
import { TestServer } from "../testing/test-server.ts";

async function start(options: Partial<ServerOptions> = {}): Promise<TestServer> {
  const server = await TestServer.start({ serviceClusterIpRange: "10.96.0.0/28", ...options });
  onTestFinished(() => server[Symbol.asyncDispose]());
  await server.clock.settle();
  return server;
}

const ranges = "/apis/networking.k8s.io/v1/servicecidrs";
const addresses = "/apis/networking.k8s.io/v1/ipaddresses";
const services = "/api/v1/namespaces/default/services";

const aService = (name: string, spec: Record<string, unknown> = {}) => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name },
  spec: { ports: [{ port: 80 }], ...spec },
});
const aRange = (name: string, ...cidrs: string[]) => ({
  apiVersion: "networking.k8s.io/v1",
  kind: "ServiceCIDR",
  metadata: { name },
  spec: { cidrs },
});
const anAddress = (name: string, labels: Record<string, string> = {}) => ({
  apiVersion: "networking.k8s.io/v1",
  kind: "IPAddress",
  metadata: { name, labels },
  spec: { parentRef: { group: "example.com", resource: "gateways", namespace: "default", name: "g" } },
});

async function declareReady(server: TestServer, name: string): Promise<void> {
  const { json } = await server.get(`${ranges}/${name}`);
  const condition = {
    type: "Ready",
    status: "True",
    reason: "",
    message: "",
    lastTransitionTime: "2026-01-01T00:00:00Z",
  };
  expect((await server.put(`${ranges}/${name}/status`, { ...json, status: { conditions: [condition] } })).status).toBe(
    200,
  );
}

const names = async (server: TestServer, path: string): Promise<string[]> =>
  (await server.get(path)).json.items.map((item: { metadata: { name: string } }) => item.metadata.name);

describe("the default ServiceCIDR", () => {
  test("has the server's range and is ready", async () => {
    const server = await start();
    const { json } = await server.get(`${ranges}/kubernetes`);
    expect(json.spec.cidrs).toEqual(["10.96.0.0/28"]);
    expect(json.status.conditions).toMatchObject([
      { type: "Ready", status: "True", message: "Kubernetes default Service CIDR is ready" },
    ]);
  });

  test("is restored within ten seconds of its deletion", async () => {
    const server = await start();
    expect((await server.delete(`${ranges}/kubernetes`)).status).toBe(200);
    await server.clock.advance(10_000);
    expect((await server.get(`${ranges}/kubernetes`)).json.status.conditions).toMatchObject([{ status: "True" }]);
  });
});

describe("an IPAddress", () => {
  test("exists for each Service with a cluster IP and is removed with the Service", async () => {
    const server = await start();
    const { json } = await server.post(services, aService("web"));
    await server.post(services, aService("headless", { clusterIP: "None" }));
    await server.clock.settle();
    const { clusterIP } = json.spec;
    expect(await names(server, addresses)).toEqual([clusterIP]);
    expect((await server.get(`${addresses}/${clusterIP}`)).json).toMatchObject({
      metadata: {
        labels: {
          "ipaddress.kubernetes.io/ip-family": "IPv4",
          "ipaddress.kubernetes.io/managed-by": "ipallocator.k8s.io",
        },
      },
      spec: { parentRef: { resource: "services", namespace: "default", name: "web" } },
    });
    await server.delete(`${services}/web`);
    await server.clock.settle();
    expect(await names(server, addresses)).toEqual([]);
  });

  test("is restored if it is deleted while its Service exists", async () => {
    const server = await start();
    const { clusterIP } = (await server.post(services, aService("web"))).json.spec;
    await server.clock.settle();
    await server.delete(`${addresses}/${clusterIP}`);
    await server.clock.settle();
    expect(await names(server, addresses)).toEqual([clusterIP]);
  });

  test("is removed if it wrongly claims to belong to a Service", async () => {
    const server = await start();
    const labels = { "ipaddress.kubernetes.io/managed-by": "ipallocator.k8s.io" };
    expect((await server.post(addresses, anAddress("10.96.0.9", labels))).status).toBe(201);
    await server.clock.settle();
    expect(await names(server, addresses)).toEqual([]);
  });

  test("that a client creates does not belong to a Service", async () => {
    const server = await start();
    expect((await server.post(addresses, anAddress("10.96.0.9"))).status).toBe(201);
    const refused = await server.post(services, aService("web", { clusterIP: "10.96.0.9" }));
    expect(refused.status).toBe(422);
    expect(refused.json.message).toContain("provided IP is already allocated");
    const given = await Promise.all(Array.from({ length: 13 }, (_, n) => server.post(services, aService(`s${n}`))));
    expect(given.map(({ status }) => status)).toEqual(Array.from({ length: 13 }, () => 201));
    expect(given.map(({ json }) => json.spec.clusterIP)).not.toContain("10.96.0.9");
    const full = await server.post(services, aService("one-more"));
    expect(full.json.message).toContain("range is full");
  });

  test("cannot be created for the address of a Service", async () => {
    const server = await start();
    await server.post(services, aService("web", { clusterIP: "10.96.0.9" }));
    const refused = await server.post(addresses, anAddress("10.96.0.9"));
    expect(refused.json).toMatchObject({ code: 409, reason: "AlreadyExists" });
  });

  test.each([
    ["its name is not an address", "web", {}, "must be a valid IP address"],
    ["it has no parent", "10.96.0.9", { spec: {} }, "spec.parentRef: Required value"],
  ])("is rejected when %s", async (_name, name, rest, message) => {
    const server = await start();
    const refused = await server.post(addresses, { ...anAddress(name), ...rest });
    expect(refused.status).toBe(422);
    expect(refused.json.message).toContain(message);
  });
});

describe("a second ServiceCIDR", () => {
  test("provides addresses once it is ready and the first is full", async () => {
    const server = await start();
    for (let n = 0; n < 14; n++) expect((await server.post(services, aService(`s${n}`))).status).toBe(201);
    expect((await server.post(services, aService("late"))).json.message).toContain("range is full");
    expect((await server.post(ranges, aRange("more", "10.97.0.0/24"))).status).toBe(201);
    expect((await server.post(services, aService("late"))).json.message).toContain("range is full");
    await declareReady(server, "more");
    expect((await server.post(services, aService("late"))).json.spec.clusterIP).toMatch(/^10\.97\.0\./);
    const asked = await server.post(services, aService("asked", { clusterIP: "10.97.0.77" }));
    expect(asked.json.spec.clusterIP).toBe("10.97.0.77");
  });

  test("provides no more addresses while it is being deleted, and its Services keep theirs", async () => {
    const server = await start();
    await server.post(ranges, { ...aRange("more", "10.97.0.0/24"), metadata: { name: "more", finalizers: ["a.b/c"] } });
    await declareReady(server, "more");
    const { json } = await server.post(services, aService("old", { clusterIP: "10.97.0.7" }));
    await server.delete(`${ranges}/more`);
    const refused = await server.post(services, aService("new", { clusterIP: "10.97.0.8" }));
    expect(refused.json.message).toContain(
      "the provided IP (10.97.0.8) is not in the valid range. The range of valid IPs is 10.96.0.0/28",
    );
    const changed = await server.put(`${services}/old`, {
      ...json,
      metadata: { ...json.metadata, labels: { a: "b" } },
    });
    expect(changed.json.spec.clusterIP).toBe("10.97.0.7");
  });

  test.each<[string, string[], string]>([
    ["without a range", [], "spec.cidrs: Required value: at least one CIDR required"],
    ["with three", ["10.0.0.0/8", "fd00::/64", "11.0.0.0/8"], "may only hold up to 2 values"],
    ["with two of a family", ["10.0.0.0/8", "11.0.0.0/8"], "may specify no more than one IP for each IP family"],
    ["with no CIDR", ["ten"], "must be a valid CIDR value"],
  ])("%s is rejected", async (_name, cidrs, message) => {
    const server = await start();
    const refused = await server.post(ranges, aRange("bad", ...cidrs));
    expect(refused.status).toBe(422);
    expect(refused.json.message).toContain(message);
  });

  test("keeps its range, and may add a range of the other family", async () => {
    const server = await start();
    const { json } = await server.post(ranges, aRange("more", "10.97.0.0/24"));
    const other = await server.put(`${ranges}/more`, { ...json, spec: { cidrs: ["10.98.0.0/24"] } });
    expect(other.json.message).toContain("field is immutable");
    const both = await server.put(`${ranges}/more`, { ...json, spec: { cidrs: ["10.97.0.0/24", "fd00::/112"] } });
    expect(both.status).toBe(200);
  });
});

test("a server can exit while it maintains its addresses", async () => {
  for (let n = 0; n < 3; n++) {
    await using server = await TestServer.start();
    // The server ends in the middle of the loop's writes.
    expect((await server.post(services, aService("web"))).status).toBe(201);
  }
});
