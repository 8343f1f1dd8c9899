import { generateKeyPairSync } from "node:crypto";
import { expect, test } from "vitest";
import { aConfiguration, configurationsPath, FakeWebhooks, patching } from "../testing/fake-webhooks.ts";
import { bindPolicy, policiesPath, policyBindingsPath, rulesOf } from "../testing/policies.ts";
import { aPod, podsPath, TestServer } from "../testing/test-server.ts";

// A subresource whose body has a kind of its own is shown as that body.

const deployments = "/apis/apps/v1/namespaces/default/deployments";
const deployment = {
  metadata: { name: "web", labels: { app: "web" } },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: "web" } },
    template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "c", image: "i" }] } },
  },
};
const scale = { metadata: { name: "web" }, spec: { replicas: 5 } };
const scaling = rulesOf("deployments/scale", "apps", ["UPDATE"]);

test("a policy checks the scale for every way to write a scale", async () => {
  await using server = await TestServer.start();
  await server.post(deployments, deployment);
  await bindPolicy(server, "small", {
    matchConstraints: scaling,
    validations: [
      { expression: "request.kind.kind == 'Scale' && request.requestKind.version == 'v1'" },
      { expression: "object.status.selector == 'app=web' && oldObject.spec.replicas == 1" },
      { expression: "request.kind.kind != 'Scale' || object.spec.replicas <= 3", message: "no more than three" },
    ],
  });
  const put = await server.put(`${deployments}/web/scale`, scale);
  const patched = await server.patch(`${deployments}/web/scale`, { spec: { replicas: 4 } });
  const applied = await server.patch(
    `${deployments}/web/scale?fieldManager=m&force=true`,
    { apiVersion: "autoscaling/v1", kind: "Scale", ...scale },
    { contentType: "application/apply-patch+yaml" },
  );
  for (const { status, json } of [put, patched, applied]) {
    expect([status, json.message]).toEqual([422, expect.stringContaining("no more than three")]);
  }
  expect((await server.patch(`${deployments}/web/scale`, { spec: { replicas: 3 } })).status).toBe(200);
});

test("a webhook and a mutating policy that change the scale change its parent", async () => {
  const webhooks = new FakeWebhooks({
    "/halves": () => patching({ op: "replace", path: "/spec/replicas", value: 2 }),
    "/negative": () => patching({ op: "replace", path: "/spec/replicas", value: -1 }),
  });
  await using server = await TestServer.start({}, { webhookTransport: webhooks });
  await server.post(deployments, deployment);
  const rules = scaling.resourceRules;
  await server.post(configurationsPath.Mutating, aConfiguration("Mutating", "m", { halves: { rules } }));
  const scaled = await server.put(`${deployments}/web/scale`, scale);
  expect([scaled.status, scaled.json.message, scaled.json.spec?.replicas]).toEqual([200, undefined, 2]);
  const { request } = webhooks.reviews[0] ?? {};
  expect(request.kind).toEqual({ group: "autoscaling", version: "v1", kind: "Scale" });
  expect(request.requestKind).toEqual(request.kind);
  expect(request.resource).toEqual({ group: "apps", version: "v1", resource: "deployments" });
  expect([request.object.kind, request.object.spec, request.object.metadata.labels]).toEqual([
    "Scale",
    { replicas: 5 },
    undefined,
  ]);
  expect([request.oldObject.kind, request.oldObject.spec]).toEqual(["Scale", { replicas: 1 }]);
  const stored = (await server.get(`${deployments}/web`)).json;
  expect([stored.spec.replicas, stored.metadata.labels]).toEqual([2, { app: "web" }]);
  await server.post(configurationsPath.Mutating, aConfiguration("Mutating", "n", { negative: { rules } }));
  const refused = await server.put(`${deployments}/web/scale`, scale);
  expect([refused.status, refused.json.message]).toEqual([422, expect.stringContaining("spec.replicas")]);
});

test("a mutating policy merges an apply configuration into the scale", async () => {
  await using server = await TestServer.start();
  await server.post(deployments, deployment);
  await server.post(policiesPath.Mutating, {
    metadata: { name: "two" },
    spec: {
      matchConstraints: scaling,
      reinvocationPolicy: "Never",
      mutations: [
        {
          patchType: "ApplyConfiguration",
          applyConfiguration: { expression: "Object{spec: Object.spec{replicas: 2}}" },
        },
      ],
    },
  });
  await server.post(policyBindingsPath.Mutating, { metadata: { name: "two" }, spec: { policyName: "two" } });
  const scaled = await server.put(`${deployments}/web/scale`, scale);
  expect([scaled.status, scaled.json.spec?.replicas]).toEqual([200, 2]);
});

test("a subresource's create has no old object", async () => {
  const webhooks = new FakeWebhooks({ "/all": () => ({ allowed: true }) });
  const { privateKey: signingKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const serviceAccountTokens = { signingKey, issuer: "https://here", audiences: ["https://here"] };
  await using server = await TestServer.start({}, { webhookTransport: webhooks, serviceAccountTokens });
  await server.post(podsPath, aPod("a"));
  await server.post("/api/v1/namespaces/default/serviceaccounts", { metadata: { name: "sa" } });
  const rules = [
    {
      operations: ["CREATE"],
      apiGroups: [""],
      apiVersions: ["v1"],
      resources: ["pods/binding", "pods/eviction", "serviceaccounts/token"],
    },
  ];
  await server.post(configurationsPath.Validating, aConfiguration("Validating", "v", { all: { rules } }));
  const bound = await server.post(`${podsPath}/a/binding`, { target: { kind: "Node", name: "n" } });
  const evicted = await server.post(`${podsPath}/a/eviction`, { metadata: { name: "a" } });
  const issued = await server.post("/api/v1/namespaces/default/serviceaccounts/sa/token", {
    spec: { audiences: ["x"] },
  });
  expect([bound.status, evicted.status, issued.status]).toEqual([201, 201, 201]);
  expect(webhooks.reviews.map(({ request }) => [request.kind.kind, request.object.kind, request.oldObject])).toEqual([
    ["Binding", "Binding", null],
    ["Eviction", "Eviction", null],
    ["TokenRequest", "TokenRequest", null],
  ]);
});
