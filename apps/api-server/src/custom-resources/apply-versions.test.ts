import { describe, expect, test } from "vitest";
import { applyAs } from "../testing/applying.ts";
import { TestServer } from "../testing/test-server.ts";
import { definitionsPath, establish } from "./testing/cron-tabs.ts";

const text = { type: "string" };
const version = (name: string, storage: boolean) => ({
  name,
  served: true,
  storage,
  schema: {
    openAPIV3Schema: {
      type: "object",
      properties: { spec: { type: "object", properties: { a: text, b: text } } },
    },
  },
});

async function startLanterns(): Promise<TestServer> {
  const server = await TestServer.start();
  const { status, text: refusal } = await server.post(definitionsPath, {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "lanterns.repro.example" },
    spec: {
      group: "repro.example",
      scope: "Namespaced",
      names: { plural: "lanterns", kind: "Lantern" },
      versions: [version("v1", true), version("v2", false)],
    },
  });
  if (status !== 201) throw new Error(refusal);
  await establish(server, "lanterns.repro.example");
  return server;
}

const path = (of: string) => `/apis/repro.example/${of}/namespaces/default/lanterns/l`;

function applier(server: TestServer) {
  return (manager: string, of: string, spec: object) =>
    applyAs(
      server,
      manager,
      path(of),
    )({
      apiVersion: `repro.example/${of}`,
      kind: "Lantern",
      metadata: { name: "l" },
      spec,
    });
}

const owners = ({ json }: { json: { metadata: { managedFields?: { manager: string; apiVersion: string }[] } } }) =>
  (json.metadata.managedFields ?? []).map(({ manager, apiVersion }) => `${manager} ${apiVersion.split("/")[1]}`);

describe("owners in two versions of a definition", () => {
  test("a field is kept while an owner in another version remains", async () => {
    await using server = await startLanterns();
    const apply = applier(server);
    await apply("m1", "v2", { a: "1", b: "1" });
    await apply("m2", "v1", { b: "1" });
    expect((await apply("m1", "v2", { a: "1" })).json.spec).toEqual({ a: "1", b: "1" });
  });

  test("a field that an applier of another version owns is a conflict", async () => {
    await using server = await startLanterns();
    const apply = applier(server);
    await apply("m2", "v2", { b: "1" });
    await apply("m1", "v1", { a: "1" });
    const refused = await apply("m3", "v2", { a: "3" });
    expect([refused.status, refused.json.message]).toEqual([
      409,
      'Apply failed with 1 conflict: conflict with "m1": .spec.a',
    ]);
  });

  test("a manifest that moves to another version removes the fields that it drops and leaves a single entry", async () => {
    await using server = await startLanterns();
    const apply = applier(server);
    await apply("m1", "v1", { a: "1", b: "1" });
    const moved = await apply("m1", "v2", { b: "1" });
    expect([moved.json.spec, owners(moved)]).toEqual([{ b: "1" }, ["m1 v2"]]);
  });

  test("the first apply does not invent an earlier manager if a manager of another version wrote", async () => {
    await using server = await startLanterns();
    const apply = applier(server);
    await apply("m1", "v1", { a: "1" });
    expect((await apply("m2", "v2", { a: "2" })).json.message).toContain('conflict with "m1": .spec.a');
    const patched = await server.patch(`${path("v2")}?fieldManager=hand`, { spec: { b: "1" } });
    expect(owners(patched)).toEqual(["m1 v1", "hand v2"]);
    expect((await apply("m1", "v1", { a: "1", b: "2" })).json.message).toContain(
      'conflict with "hand" using repro.example/v2: .spec.b',
    );
  });

  test("an update through one version takes over fields from owners in the other version", async () => {
    await using server = await startLanterns();
    const apply = applier(server);
    await apply("m1", "v1", { a: "1", b: "1" });
    const patched = await server.patch(`${path("v2")}?fieldManager=hand`, { spec: { a: "2" } });
    expect(patched.json.metadata.managedFields).toMatchObject([
      { manager: "m1", apiVersion: "repro.example/v1", fieldsV1: { "f:spec": { "f:b": {} } } },
      { manager: "hand", apiVersion: "repro.example/v2", fieldsV1: { "f:spec": { "f:a": {} } } },
    ]);
  });
});

describe("owners in autoscaling/v1 and v2", () => {
  const hpa = (of: string) => `/apis/autoscaling/${of}/namespaces/default/horizontalpodautoscalers/g`;
  const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "none" };
  const body = (of: string, spec: object) => ({
    apiVersion: `autoscaling/${of}`,
    kind: "HorizontalPodAutoscaler",
    metadata: { name: "g" },
    spec,
  });

  test("a default that no manager owns causes no conflict", async () => {
    await using server = await TestServer.start();
    await applyAs(server, "base", hpa("v2"))(body("v2", { maxReplicas: 5, scaleTargetRef }));
    const floored = await applyAs(server, "floor", hpa("v1"))(body("v1", { minReplicas: 2 }));
    expect([floored.status, floored.json.spec.minReplicas]).toEqual([200, 2]);
    expect(owners(floored)).toEqual(["base v2", "floor v1"]);
  });

  test("a field that its applier omits in the next version is removed", async () => {
    await using server = await TestServer.start();
    const v1 = { minReplicas: 2, maxReplicas: 5, scaleTargetRef, targetCPUUtilizationPercentage: 50 };
    await applyAs(server, "gitops", hpa("v1"))(body("v1", v1));
    const moved = await applyAs(server, "gitops", hpa("v2"))(body("v2", { maxReplicas: 5, scaleTargetRef }));
    expect([moved.json.spec.minReplicas, owners(moved)]).toEqual([1, ["gitops v2"]]);
    const byHand = await server.patch(`${hpa("v1")}?fieldManager=hand`, { spec: { maxReplicas: 6 } });
    expect(owners(byHand)).toEqual(["gitops v2", "hand v1"]);
  });
});
