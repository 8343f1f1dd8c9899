import { describe, expect, test } from "vitest";
import {
  aConfiguration,
  configurationsPath,
  FakeWebhooks,
  patching,
  type Review,
} from "../../testing/fake-webhooks.ts";
import { aPolicy, policiesPath, policyBindingsPath, rulesOf } from "../../testing/policies.ts";
import { TestServer } from "../../testing/test-server.ts";

// The webhooks fail closed and match every request, and each has a different fault. In spite of
// them, an administrator can read, can work in namespaces that the configuration exempts and can
// delete the configuration, and a server can start.

const answers: Readonly<Record<string, (request: Review, signal: AbortSignal) => object | Promise<object>>> = {
  hangs: () => new Promise<object>(() => {}),
  "refuses connections": () => Promise.reject(Object.assign(new Error("refused"), { code: "ECONNREFUSED" })),
  "panics with status 500": () => ({ status: 500, body: "panic: runtime error" }),
  "answers no JSON": () => ({ status: 200, body: "<html>it works</html>" }),
  "answers nothing": () => ({ status: 200, body: "" }),
  "answers for another request": () => ({ allowed: true, uid: "another" }),
  "answers deeply nested JSON": () => ({ status: 200, body: "[".repeat(100_000) }),
  "answers without a word": () => ({}),
  denies: () => ({ allowed: false, status: { message: "never" } }),
};
const lies: Readonly<Record<string, () => object>> = {
  "patches what is not there": () => patching({ op: "remove", path: "/data/nothing" }),
  "patches the name": () => patching({ op: "replace", path: "/metadata/name", value: "another" }),
  "patches the kind": () => patching({ op: "replace", path: "/kind", value: "Secret" }),
  "patches the whole into nothing": () => patching({ op: "replace", path: "", value: null }),
  "patches with no patch": () => ({ allowed: true, patchType: "JSONPatch", patch: "AAAA" }),
  "patches by an unknown type": () => ({ allowed: true, patchType: "Magic", patch: "W10=" }),
};

const cases = [
  ...Object.entries(answers).flatMap(([name, answer]) =>
    (["Validating", "Mutating"] as const).map((kind) => ({ name, kind, answer })),
  ),
  ...Object.entries(lies).map(([name, answer]) => ({ name, kind: "Mutating" as const, answer })),
];

const maps = (namespace: string) => `/api/v1/namespaces/${namespace}/configmaps`;
const aMap = (name: string, value = "1") => ({ metadata: { name }, data: { value } });

describe.each(cases)("a $kind webhook that $name", ({ kind, answer }) => {
  test("blocks matching requests, and can be exempted, restarted and removed", async () => {
    const webhookTransport = new FakeWebhooks({ "/bad": answer });
    await using server = await TestServer.start({}, { webhookTransport });
    await server.post("/api/v1/namespaces", { metadata: { name: "spared" } });
    await server.post(maps("default"), aMap("before"));
    const namespaceSelector = {
      matchExpressions: [{ key: "kubernetes.io/metadata.name", operator: "NotIn", values: ["kube-system", "spared"] }],
    };
    const configuration = aConfiguration(kind, "bad", { bad: { failurePolicy: "Fail", namespaceSelector } });
    expect((await server.post(configurationsPath[kind], configuration)).status).toBe(201);

    const blocked = [
      server.post(maps("default"), aMap("m")),
      server.put(`${maps("default")}/before`, aMap("before", "2")),
    ];
    await server.clock.advance(10_000);
    const statuses = (await Promise.all(blocked)).map(({ status }) => status);
    expect(statuses.every((status) => status >= 400)).toBe(true);
    // The rejected writes were not stored, and reads do not call a webhook.
    const { json: list } = await server.get(maps("default"));
    expect(list.items.filter(({ metadata }: Review) => metadata.name === "m")).toEqual([]);
    expect((await server.get(`${maps("default")}/before`)).json.data).toEqual({ value: "1" });
    expect((await server.post(maps("spared"), aMap("m"))).status).toBe(201);
    expect((await server.post(maps("kube-system"), aMap("m"))).status).toBe(201);

    // A server that starts makes its own objects without calling a webhook.
    await using restarted = await TestServer.start({}, { webhookTransport, store: server.store, clock: server.clock });
    expect((await restarted.get("/readyz")).status).toBe(200);

    const path = `${configurationsPath[kind]}/bad`;
    expect((await restarted.patch(path, { metadata: { labels: { a: "b" } } })).status).toBe(200);
    expect((await restarted.delete(path)).status).toBe(200);
    expect((await restarted.post(maps("default"), aMap("m"))).status).toBe(201);
  });
});

test("a webhook that blocks its own pod can be removed, and then the pod is created", async () => {
  // The webhook's rule matches the webhook's own pods. While these pods do not exist, no call
  // succeeds, and the webhook fails closed.
  const webhookTransport = new FakeWebhooks({});
  await using server = await TestServer.start({}, { webhookTransport });
  const own = { clientConfig: { service: { namespace: "default", name: "guard" } } };
  await server.post(configurationsPath.Validating, aConfiguration("Validating", "guard", { guard: own }));
  const pod = { metadata: { name: "guard" }, spec: { containers: [{ name: "c", image: "busybox:1" }] } };
  const blocked = await server.post("/api/v1/namespaces/default/pods", pod);
  expect([blocked.status, blocked.json.message]).toEqual([
    500,
    expect.stringContaining('failed calling webhook "guard.example.com"'),
  ]);
  expect((await server.delete(`${configurationsPath.Validating}/guard`)).status).toBe(200);
  expect((await server.post("/api/v1/namespaces/default/pods", pod)).status).toBe(201);
});

test("a policy that denies everything denies neither its own removal nor its binding's removal", async () => {
  await using server = await TestServer.start();
  const matchConstraints = {
    resourceRules: [{ apiGroups: ["*"], apiVersions: ["*"], operations: ["*"], resources: ["*"] }],
  };
  const spec = { matchConstraints, validations: [{ expression: "false" }] };
  await server.post(policiesPath.Validating, aPolicy("no", spec));
  await server.post(policyBindingsPath.Validating, {
    metadata: { name: "no" },
    spec: { policyName: "no", validationActions: ["Deny"] },
  });
  expect((await server.post(maps("default"), aMap("m"))).status).toBe(422);
  await using restarted = await TestServer.start({}, { store: server.store, clock: server.clock });
  expect((await restarted.get("/readyz")).status).toBe(200);
  const narrower = { spec: { matchConstraints: rulesOf("secrets") } };
  expect((await restarted.patch(`${policiesPath.Validating}/no`, narrower)).status).toBe(200);
  expect((await restarted.post(maps("default"), aMap("m"))).status).toBe(201);
  expect((await restarted.delete(`${policyBindingsPath.Validating}/no`)).status).toBe(200);
  expect((await restarted.delete(`${policiesPath.Validating}/no`)).status).toBe(200);
});
