import { describe, expect, test } from "vitest";
import { aConfiguration, configurationsPath, FakeWebhooks } from "../../testing/fake-webhooks.ts";
import { TestServer } from "../../testing/test-server.ts";

const mapsPath = "/api/v1/namespaces/default/configmaps";
const rules = [{ operations: ["*"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] }];
const fails = { name: "fails", expression: "object.data.none == 'a'" };
const holds = { name: "holds", expression: "request.operation == 'CREATE' && object.metadata.name.startsWith('m')" };
const misses = { name: "misses", expression: "'system:nodes' in request.userInfo.groups" };
const allowed = { name: "allowed", expression: "authorizer.requestResource.check('create').allowed()" };

describe.each(["Validating", "Mutating"] as const)("the match conditions of a webhook (%s)", (kind) => {
  test.each<[string, object[], string, number, number]>([
    ["call it if all are true", [holds, allowed], "Fail", 201, 1],
    ["skip it if one is false", [holds, misses], "Fail", 201, 0],
    ["skip it if one is false and another fails", [fails, misses], "Fail", 201, 0],
    ["refuse if one fails and the webhook fails closed", [holds, fails], "Fail", 403, 0],
    ["skip it if one fails and the webhook fails open", [holds, fails], "Ignore", 201, 0],
  ])("%s", async (_name, matchConditions, failurePolicy, status, calls) => {
    const webhooks = new FakeWebhooks({ "/see": () => ({ allowed: true }) });
    await using server = await TestServer.start({}, { webhookTransport: webhooks });
    const see = { rules, matchConditions, failurePolicy };
    expect((await server.post(configurationsPath[kind], aConfiguration(kind, "a", { see }))).status).toBe(201);
    const answer = await server.post(mapsPath, { metadata: { name: "m" }, data: {} });
    expect([answer.status, webhooks.reviews.length]).toEqual([status, calls]);
    if (status !== 403) return;
    expect(answer.json.message).toBe(
      `configmaps "m" is forbidden: expression 'object.data.none == 'a'' resulted in error: no such key: none`,
    );
  });

  test("are rejected if they cannot be compiled", async () => {
    await using server = await TestServer.start();
    const see = { matchConditions: [{ name: "bad", expression: "object.metadata.name ==" }] };
    const refused = await server.post(configurationsPath[kind], aConfiguration(kind, "a", { see }));
    expect(refused.status).toBe(422);
    expect(refused.json.message).toContain(
      `webhooks[0].matchConditions[0].expression: Invalid value: "object.metadata.name ==": compilation failed: ERROR: <input>:1:`,
    );
  });
});
