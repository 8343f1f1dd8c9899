import { expect, test } from "vitest";
import { TestServer } from "../testing/test-server.ts";

const path = (version: "v1" | "v2", rest = "") =>
  `/apis/autoscaling/${version}/namespaces/default/horizontalpodautoscalers${rest}`;
const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "web" };
const memory = {
  type: "Resource",
  resource: { name: "memory", target: { type: "AverageValue", averageValue: "100Mi" } },
};
const cpu = (averageUtilization: number) => ({
  type: "Resource",
  resource: { name: "cpu", target: { type: "Utilization", averageUtilization } },
});
const behavior = { scaleDown: { stabilizationWindowSeconds: 30 } };
const annotation = (name: string) => `autoscaling.alpha.kubernetes.io/${name}`;

async function startWith(metadata: object = {}): Promise<TestServer> {
  const server = await TestServer.start();
  const spec = { scaleTargetRef, maxReplicas: 5, metrics: [memory, cpu(50)], behavior };
  const created = await server.post(path("v2"), { metadata: { name: "web", ...metadata }, spec });
  expect(created.status).toBe(201);
  return server;
}

test("clients discover both versions and prefer v2", async () => {
  await using server = await startWith();
  const { json } = await server.get("/apis/autoscaling");
  expect(json.versions.map(({ version }: { version: string }) => version)).toEqual(["v2", "v1"]);
  expect(json.preferredVersion.version).toBe("v2");
  for (const version of ["v1", "v2"]) {
    const { json: list } = await server.get(`/apis/autoscaling/${version}`);
    const names = list.resources.map(({ name }: { name: string }) => name);
    expect(names).toEqual(["horizontalpodautoscalers", "horizontalpodautoscalers/status"]);
  }
});

test("an object of v1 is stored as v2, with the defaults and the rules of v2", async () => {
  await using server = await TestServer.start();
  const spec = { scaleTargetRef, maxReplicas: 5 };
  const created = await server.post(path("v1"), { metadata: { name: "web" }, spec });
  expect(created.status).toBe(201);
  expect(created.json.spec).toEqual({ ...spec, minReplicas: 1, targetCPUUtilizationPercentage: 80 });
  const { json } = await server.get(path("v2", "/web"));
  expect(json.spec).toEqual({ ...spec, minReplicas: 1, metrics: [cpu(80)] });
  const refused = await server.post(path("v1"), { metadata: { name: "x" }, spec: { ...spec, maxReplicas: 0 } });
  expect(refused.status).toBe(422);
  expect(refused.json.message).toContain("spec.maxReplicas: Invalid value: 0: must be greater than 0");
});

test("a client of v1 that writes back an unchanged object does not change it, and a change of this client is stored in v2", async () => {
  await using server = await startWith();
  const before = (await server.get(path("v2", "/web"))).json;
  const read = (await server.get(path("v1", "/web"))).json;
  expect(read.spec.targetCPUUtilizationPercentage).toBe(50);
  expect(read.metadata.annotations[annotation("metrics")]).toContain("100Mi");
  const same = await server.put(path("v1", "/web"), read);
  expect(same.status).toBe(200);
  expect((await server.get(path("v2", "/web"))).json).toEqual(before);
  const next = { ...read, spec: { ...read.spec, targetCPUUtilizationPercentage: 70 } };
  expect((await server.put(path("v1", "/web"), next)).status).toBe(200);
  const after = (await server.get(path("v2", "/web"))).json;
  expect(after.spec).toEqual({ ...before.spec, metrics: [memory, cpu(70)] });
  expect(after.metadata).not.toHaveProperty("annotations");
});

test("a patch of v1 does not change the metrics and the behavior", async () => {
  await using server = await startWith();
  const before = (await server.get(path("v2", "/web"))).json;
  const patched = await server.patch(path("v1", "/web"), { spec: { maxReplicas: 9 } });
  expect(patched.json.spec.maxReplicas).toBe(9);
  expect((await server.get(path("v2", "/web"))).json.spec).toEqual({ ...before.spec, maxReplicas: 9 });
});

test("server-side apply of v1 owns the fields of v1", async () => {
  await using server = await startWith();
  const applied = await server.call("PATCH", `${path("v1", "/web")}?fieldManager=me&force=true`, {
    contentType: "application/apply-patch+yaml",
    body: { apiVersion: "autoscaling/v1", kind: "HorizontalPodAutoscaler", spec: { scaleTargetRef, maxReplicas: 7 } },
  });
  expect(applied.status).toBe(200);
  const { json } = await server.get(path("v2", "/web"));
  expect(json.spec).toMatchObject({ maxReplicas: 7, metrics: [memory, cpu(50)], behavior });
  const mine = json.metadata.managedFields.find(({ manager }: { manager: string }) => manager === "me");
  expect(mine).toMatchObject({ apiVersion: "autoscaling/v1", operation: "Apply" });
});

test("a status update in v1 stores metrics and conditions from annotations, and does not change the spec", async () => {
  await using server = await startWith();
  const read = (await server.get(path("v1", "/web"))).json;
  const conditions = [{ type: "AbleToScale", status: "True", reason: "ReadyForNewScale", message: "m" }];
  const status = { currentReplicas: 1, desiredReplicas: 2, currentCPUUtilizationPercentage: 20 };
  const written = await server.put(path("v1", "/web/status"), {
    ...read,
    metadata: { ...read.metadata, annotations: { [annotation("conditions")]: JSON.stringify(conditions) } },
    spec: { scaleTargetRef, maxReplicas: 99 },
    status,
  });
  expect(written.status).toBe(200);
  const { json } = await server.get(path("v2", "/web"));
  expect(json.spec.maxReplicas).toBe(5);
  expect(json.status).toEqual({
    currentReplicas: 1,
    desiredReplicas: 2,
    currentMetrics: [{ type: "Resource", resource: { name: "cpu", current: { averageUtilization: 20 } } }],
    conditions,
  });
});

test("a client of v2 cannot store the annotations of v1", async () => {
  const stale = { [annotation("behavior")]: '{"ScaleDown":{"SelectPolicy":"Disabled"}}', mine: "kept" };
  await using server = await startWith({ annotations: stale });
  const { json } = await server.get(path("v2", "/web"));
  expect(json.metadata.annotations).toEqual({ mine: "kept" });
  expect(JSON.stringify(json.metadata.managedFields)).not.toContain("autoscaling.alpha");
  const read = (await server.get(path("v1", "/web"))).json;
  expect(read.metadata.annotations[annotation("behavior")]).not.toContain("Disabled");
});
