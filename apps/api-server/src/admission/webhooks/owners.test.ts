import { describe, expect, test } from "vitest";
import { applyAs, configMapsPath } from "../../testing/applying.ts";
import { aConfiguration, configurationsPath, FakeWebhooks, patching } from "../../testing/fake-webhooks.ts";
import { TestServer } from "../../testing/test-server.ts";

const rules = [{ operations: ["CREATE", "UPDATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] }];

async function start(...operations: object[]) {
  const webhooks = new FakeWebhooks({ "/labels": () => patching(...operations) });
  const server = await TestServer.start({}, { webhookTransport: webhooks });
  await server.post(configurationsPath.Mutating, aConfiguration("Mutating", "m", { labels: { rules } }));
  return { server, webhooks, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

const configMap = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c" }, data: { x: "y" } };
const created = `${configMapsPath}?fieldManager=hand`;

interface Entry {
  manager: string;
  fieldsV1: object;
}

describe("field owners before a webhook", () => {
  test("are visible to the webhook in creates and updates, and do not own the fields that it adds", async () => {
    await using started = await start({ op: "add", path: "/metadata/labels", value: { b: "1" } });
    const { server, webhooks } = started;
    const made = await server.post(created, configMap);
    const ofHand = [{ manager: "hand", fieldsV1: { "f:data": { ".": {}, "f:x": {} } } }];
    expect(made.json.metadata.labels).toEqual({ b: "1" });
    expect(made.json.metadata.managedFields).toMatchObject(ofHand);
    expect(made.json.metadata.managedFields[0].fieldsV1).toEqual(ofHand[0]?.fieldsV1);
    expect(webhooks.reviews[0]?.request.object.metadata.managedFields).toMatchObject(ofHand);
    const gitops = applyAs(server, "gitops", `${configMapsPath}/c`);
    const applied = await gitops({ ...configMap, metadata: { name: "c", labels: { c: "2" } } });
    expect(applied.status).toBe(200);
    const updated = await server.patch(`${configMapsPath}/c?fieldManager=other`, { data: { z: "1" } });
    const entries = updated.json.metadata.managedFields as Entry[];
    expect(entries.find(({ manager }) => manager === "other")?.fieldsV1).toEqual({ "f:data": { "f:z": {} } });
  });

  test("can be removed by the webhook", async () => {
    await using started = await start({ op: "remove", path: "/metadata/managedFields" });
    const made = await started.server.post(created, configMap);
    expect([made.status, made.json.metadata.managedFields]).toEqual([201, undefined]);
  });

  test("are restored with a warning if the webhook corrupts them", async () => {
    await using started = await start({ op: "add", path: "/metadata/managedFields/0/operation", value: "Guess" });
    const made = await started.server.post(created, configMap);
    expect(made.json.metadata.managedFields).toMatchObject([{ manager: "hand", operation: "Update" }]);
    expect(String(made.headers["warning"])).toContain(
      ".metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating admission controller; please fix your requests: operation must be `Apply` or `Update`",
    );
  });
});
