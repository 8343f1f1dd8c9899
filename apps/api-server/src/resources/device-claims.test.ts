import { expect, test } from "vitest";
import { TestServer } from "../testing/test-server.ts";

const group = "/apis/resource.k8s.io";
const claimsPath = `${group}/v1/namespaces/default/resourceclaims`;
const selecting = (...expressions: string[]) => expressions.map((expression) => ({ cel: { expression } }));
const claim = (name: string, exactly: object = {}) => ({
  metadata: { name },
  spec: { devices: { requests: [{ name: "gpu", exactly: { deviceClassName: "gpu.example.com", ...exactly } }] } },
});
const result = { request: "gpu", driver: "gpu.example.com", pool: "node-1", device: "gpu-0" };
const allocation = { devices: { results: [result] } };
const consumer = { resource: "pods", name: "p", uid: "1" };

test("selectors are expressions about a device that evaluate to true or false", async () => {
  await using server = await TestServer.start();
  const good = selecting(
    'device.driver == "gpu.example.com"',
    'device.capacity["gpu.example.com"].memory.compareTo(quantity("40Gi")) >= 0',
    'device.attributes["gpu.example.com"].family',
  );
  expect((await server.post(claimsPath, claim("good", { selectors: good }))).status).toBe(201);
  const bad = selecting("device.driver", "device.", "object.metadata.name == 'x'");
  const { status, json } = await server.post(claimsPath, claim("bad", { selectors: bad }));
  expect([status, json.details.causes.map(({ message }: { message: string }) => message)]).toEqual([
    422,
    [
      'Invalid value: "device.driver": must evaluate to bool or the unknown type, not string',
      expect.stringMatching(/^Invalid value: "device\.": compilation failed: /),
      expect.stringMatching(/undeclared reference to 'object'/),
    ],
  ]);
  const deviceClass = { metadata: { name: "c" }, spec: { selectors: bad.slice(0, 1) } };
  expect((await server.post(`${group}/v1/deviceclasses`, deviceClass)).status).toBe(422);
});

test("an allocation is written once, is reserved while it exists, and removes the drivers' reports with it", async () => {
  await using server = await TestServer.start();
  const created = await server.post(claimsPath, { ...claim("c"), status: { allocation } });
  expect([created.status, created.json.status]).toEqual([201, {}]);
  const patch = (status: object) => server.patch(`${claimsPath}/c/status`, { status });
  expect((await patch({ reservedFor: [consumer] })).json.message).toMatch(
    /may not be specified when `allocated` is not/,
  );
  const unknown = { devices: { results: [{ ...result, request: "cpu" }] } };
  expect((await patch({ allocation: unknown })).status).toBe(422);
  const { request: _, ...device } = result;
  expect((await patch({ allocation, reservedFor: [consumer], devices: [device] })).status).toBe(200);
  const { json: table } = await server.get(claimsPath, {
    headers: { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" },
  });
  expect(table.rows.map(({ cells }: { cells: unknown[] }) => cells.slice(0, 2))).toEqual([["c", "allocated,reserved"]]);
  const moved = { devices: { results: [{ ...result, device: "gpu-1" }] } };
  expect((await patch({ allocation: moved })).json.message).toMatch(/field is immutable/);
  const { json: freed } = await patch({ allocation: null, reservedFor: null });
  expect(freed.status).toEqual({});
});

test("v1beta2 has the same objects, and is served only where its version is enabled", async () => {
  await using server = await TestServer.start();
  const beta = claimsPath.replace("/v1/", "/v1beta2/");
  expect((await server.post(beta, claim("c"))).json.apiVersion).toBe("resource.k8s.io/v1beta2");
  expect((await server.get(`${claimsPath}/c`)).json).toMatchObject({
    apiVersion: "resource.k8s.io/v1",
    kind: "ResourceClaim",
  });
  const slice = {
    metadata: { name: "s" },
    spec: {
      driver: "gpu.example.com",
      pool: { name: "p", generation: 1, resourceSliceCount: 1 },
      nodeName: "node-1",
      devices: [{ name: "d", taints: [{ key: "k", effect: "NoSchedule" }] }],
    },
  };
  const { json: made } = await server.post(`${group}/v1/resourceslices`, slice);
  expect(made.spec.devices[0].taints[0].timeAdded).toMatch(/Z$/);
  for (const [node, count] of [
    ["node-1", 1],
    ["node-2", 0],
  ] as const) {
    const list = await server.get(`${group}/v1beta2/resourceslices?fieldSelector=spec.nodeName=${node}`);
    expect(list.json.items).toHaveLength(count);
  }
});

test("devices are administered only in namespaces with the admin label", async () => {
  await using server = await TestServer.start();
  const asked = claim("c", { adminAccess: true });
  const template = { metadata: { name: "t" }, spec: { spec: asked.spec } };
  const templatesPath = claimsPath.replace("resourceclaims", "resourceclaimtemplates");
  const refused = await server.post(claimsPath, asked);
  expect([refused.status, refused.json.details.causes]).toEqual([
    422,
    [
      {
        reason: "FieldValueForbidden",
        field: "spec.devices.requests[0].adminAccess",
        message:
          "Forbidden: admin access to devices requires the `resource.kubernetes.io/admin-access: true` label on the containing namespace",
      },
    ],
  ]);
  expect((await server.post(templatesPath, template)).status).toBe(422);
  await server.post(claimsPath, claim("plain"));
  const status = { allocation: { devices: { results: [{ ...result, adminAccess: true }] } } };
  expect((await server.patch(`${claimsPath}/plain/status`, { status })).status).toBe(422);
  const labels = { "resource.kubernetes.io/admin-access": "true" };
  await server.patch("/api/v1/namespaces/default", { metadata: { labels } });
  expect((await server.post(claimsPath, asked)).status).toBe(201);
  expect((await server.post(templatesPath, template)).status).toBe(201);
  expect((await server.patch(`${claimsPath}/plain/status`, { status })).status).toBe(200);
});
