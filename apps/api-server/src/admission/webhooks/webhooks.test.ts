import { expect, test } from "vitest";
import { aConfiguration, configurationsPath, FakeWebhooks, patching } from "../../testing/fake-webhooks.ts";
import { leastProcessorMs } from "../../testing/least-processor-ms.ts";
import { aPod, podsPath, TestServer } from "../../testing/test-server.ts";

const mapsPath = "/api/v1/namespaces/default/configmaps";
const aMap = (name: string, more: object = {}) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, ...more },
});
const mapRules = [{ operations: ["*"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] }];

type Responders = ConstructorParameters<typeof FakeWebhooks>[0];

async function start(responders: Responders) {
  const webhooks = new FakeWebhooks(responders);
  const server = await TestServer.start({}, { webhookTransport: webhooks });
  const configure = async (kind: "Validating" | "Mutating", name: string, of: Record<string, object>) => {
    const answer = await server.post(configurationsPath[kind], aConfiguration(kind, name, of));
    expect(answer.status).toBe(201);
  };
  return { server, webhooks, configure, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

test("a missing Service of a webhook is named in the error, in the singular as in upstream's message", async () => {
  await using at = await start({});
  const clientConfig = { service: { namespace: "system", name: "webhook-service", path: "/admit" } };
  await at.configure("Validating", "a", { admit: { rules: mapRules, clientConfig, failurePolicy: "Fail" } });
  const { status, json } = await at.server.post(mapsPath, aMap("a"));
  const url = "https://webhook-service.system.svc:443/admit?timeout=10s";
  expect([status, json.message]).toEqual([
    500,
    `Internal error occurred: failed calling webhook "admit.example.com": failed to call webhook: Post "${url}": service "webhook-service" not found`,
  ]);
});

test("a webhook's denial is quoted with its code and reason", async () => {
  await using at = await start({
    "/deny": () => ({ allowed: false, status: { message: "no maps today", reason: "Forbidden", code: 403 } }),
    "/mute": () => ({ allowed: false, status: { code: 200 } }),
  });
  await at.configure("Validating", "a", { deny: { rules: mapRules } });
  const denied = await at.server.post(mapsPath, aMap("a"));
  expect([denied.status, denied.json.reason, denied.json.message]).toEqual([
    403,
    "Forbidden",
    'admission webhook "deny.example.com" denied the request: no maps today',
  ]);
  await at.server.delete(`${configurationsPath.Validating}/a`);
  expect((await at.server.post(mapsPath, aMap("a"))).status).toBe(201);
  await at.configure("Mutating", "b", { mute: { rules: mapRules } });
  const mute = await at.server.post(mapsPath, aMap("b"));
  expect([mute.status, mute.json.message]).toEqual([
    400,
    'admission webhook "mute.example.com" denied the request without explanation',
  ]);
});

test("a review describes the request", async () => {
  await using at = await start({ "/see": () => ({ allowed: true, warnings: ["be\r\ncareful"] }) });
  await at.configure("Validating", "a", { see: { rules: mapRules } });
  await at.server.post(mapsPath, aMap("a"));
  const changed = await at.server.patch(`${mapsPath}/a?dryRun=All`, { data: { x: "1" } });
  expect(changed.headers["warning"]).toBe('299 - "be careful"');
  await at.server.delete(`${mapsPath}/a`);
  const [created, updated, deleted] = at.webhooks.reviews.map(({ request }) => request);
  expect(created).toMatchObject({
    kind: { group: "", version: "v1", kind: "ConfigMap" },
    resource: { group: "", version: "v1", resource: "configmaps" },
    requestKind: { group: "", version: "v1", kind: "ConfigMap" },
    name: "a",
    namespace: "default",
    operation: "CREATE",
    userInfo: { username: "admin", groups: ["system:masters", "system:authenticated"] },
    object: { kind: "ConfigMap", apiVersion: "v1", metadata: { name: "a" } },
    oldObject: null,
    dryRun: false,
    options: { kind: "CreateOptions", apiVersion: "meta.k8s.io/v1" },
  });
  expect(updated).toMatchObject({
    operation: "UPDATE",
    dryRun: true,
    object: { data: { x: "1" } },
    oldObject: { metadata: { name: "a" } },
    options: { kind: "UpdateOptions", dryRun: ["All"] },
  });
  expect(deleted).toMatchObject({ operation: "DELETE", object: null, oldObject: { metadata: { name: "a" } } });
});

test("a webhook of the API before v1 receives its version, and its patch needs no type", async () => {
  const { patch } = patching({ op: "add", path: "/data", value: { old: "1" } }) as { patch: string };
  await using at = await start({
    "/old": () => ({ allowed: true, uid: "", patch }),
    "/new": () => ({ allowed: true }),
  });
  const versions = (...admissionReviewVersions: string[]) => ({ rules: mapRules, admissionReviewVersions });
  await at.configure("Mutating", "a", { old: versions("v2", "v1beta1", "v1"), new: versions("v1", "v1beta1") });
  expect((await at.server.post(mapsPath, aMap("m"))).json.data).toEqual({ old: "1" });
  expect(at.webhooks.reviews.map(({ apiVersion }) => apiVersion)).toEqual([
    "admission.k8s.io/v1beta1",
    "admission.k8s.io/v1",
  ]);
});

test("webhooks change the object in order of their configurations, and each webhook sees the earlier changes", async () => {
  await using at = await start({
    "/one": () => patching({ op: "add", path: "/data", value: { one: "1" } }),
    "/two": ({ object }) => patching({ op: "add", path: "/data/two", value: `${object.data.one}+1` }),
  });
  await at.configure("Mutating", "b", { two: { rules: mapRules } });
  await at.configure("Mutating", "a", { one: { rules: mapRules } });
  expect((await at.server.post(mapsPath, aMap("m"))).json.data).toEqual({ one: "1", two: "1+1" });
});

test("a webhook is called again after a later change only once and only if it sets reinvocationPolicy", async () => {
  const marked = (path: string) => () => patching({ op: "add", path: `/metadata/labels/${path}`, value: "x" });
  await using at = await start({
    "/first": () => ({ allowed: true }),
    "/never": () => ({ allowed: true }),
    "/mark": marked("m"),
  });
  const rules = mapRules;
  await at.configure("Mutating", "a", {
    first: { rules, reinvocationPolicy: "IfNeeded" },
    never: { rules },
    mark: { rules, reinvocationPolicy: "IfNeeded" },
  });
  await at.server.post(mapsPath, aMap("m", { labels: { a: "b" } }));
  expect(at.webhooks.paths()).toEqual(["/first", "/never", "/mark", "/first"]);
  expect(at.webhooks.reviews[3]?.request.object.metadata.labels).toEqual({ a: "b", m: "x" });
});

test.each<[string, object, string]>([
  [
    "another name",
    patching({ op: "replace", path: "/metadata/name", value: "z" }),
    "metadata.name was changed from m to z",
  ],
  [
    "another namespace",
    patching({ op: "replace", path: "/metadata/namespace", value: "kube-system" }),
    "metadata.namespace was changed from default to kube-system",
  ],
  ["a missing place", patching({ op: "remove", path: "/data/x" }), "doc is missing path"],
  [
    "too many operations",
    patching(...Array.from({ length: 10_001 }, () => ({ op: "test", path: "/kind", value: "ConfigMap" }))),
    "The allowed maximum operations in a JSON patch is 10000, got 10001",
  ],
  ["another kind", patching({ op: "replace", path: "/kind", value: "Secret" }), "Secret"],
  [
    "a patch without its type",
    { allowed: true, patch: "W10=" },
    "webhook returned response.patch but not response.patchType",
  ],
  [
    "a type without a patch",
    { allowed: true, patchType: "JSONPatch" },
    "webhook returned response.patchType but not response.patch",
  ],
  ["an unknown type of patch", { allowed: true, patchType: "Merge", patch: "e30=" }, 'unsupported patch type "Merge"'],
  [
    "a patch that is not JSON",
    { allowed: true, patchType: "JSONPatch", patch: "e3s=" },
    "received undecodable patch in webhook response",
  ],
  ["another UID", { allowed: true, uid: "x" }, "expected response.uid="],
  ["an answer without a review", { status: 200, body: "{}" }, "webhook response was absent"],
  ["an answer that is not JSON", { status: 200, body: "<html>" }, "received invalid webhook response: couldn't parse"],
  [
    "v1beta1",
    {
      status: 200,
      body: '{"apiVersion":"admission.k8s.io/v1beta1","kind":"AdmissionReview","response":{"uid":"","allowed":true}}',
    },
    "expected response.uid=",
  ],
  ["a redirect", { status: 302, body: "" }, "the server responded with the status code 302"],
  ["404", { status: 404, body: "" }, "the server could not find the requested resource"],
  ["500", { status: 500, body: "oh" }, 'an error on the server ("oh") has prevented the request from succeeding'],
])("a webhook that answers with %s fails the request, and nothing is stored", async (_name, answer, text) => {
  await using at = await start({ "/bad": () => answer });
  await at.configure("Mutating", "a", { bad: { rules: mapRules } });
  const refused = await at.server.post(mapsPath, aMap("m"));
  expect(refused.status).toBe(500);
  expect(refused.json.message).toContain(text);
  expect((await at.server.get(`${mapsPath}/m`)).status).toBe(404);
});

test("a patch of the UID has no effect", async () => {
  await using at = await start({ "/uid": () => patching({ op: "add", path: "/metadata/uid", value: "mine" }) });
  await at.server.post(mapsPath, aMap("m"));
  const { uid } = (await at.server.get(`${mapsPath}/m`)).json.metadata;
  await at.configure("Mutating", "a", { uid: { rules: mapRules } });
  expect((await at.server.patch(`${mapsPath}/m`, { data: { a: "b" } })).json.metadata.uid).toBe(uid);
  expect((await at.server.post(mapsPath, aMap("n"))).json.metadata.uid).not.toBe("mine");
});

test("a delete has no object to patch, and a validating webhook cannot patch", async () => {
  await using at = await start({ "/patch": () => patching({ op: "add", path: "/data", value: {} }) });
  await at.server.post(mapsPath, aMap("m"));
  await at.configure("Mutating", "a", { patch: { rules: mapRules } });
  const refused = await at.server.delete(`${mapsPath}/m`);
  expect(refused.json.message).toBe(
    'Internal error occurred: admission webhook "patch.example.com" attempted to modify the object, which is not supported for this operation',
  );
  await at.server.delete(`${configurationsPath.Mutating}/a`);
  await at.configure("Validating", "a", { patch: { rules: mapRules } });
  const answer = await at.server.delete(`${mapsPath}/m`);
  expect(answer.json.message).toContain("validating webhook may not return response.patch");
});

test("a webhook that cannot be called fails the request unless its policy ignores the failure", async () => {
  await using at = await start({
    "/down": () =>
      Promise.reject(Object.assign(new Error("no"), { code: "ECONNREFUSED", address: "10.0.0.9", port: 443 })),
  });
  await at.configure("Validating", "a", { down: { rules: mapRules } });
  const failed = await at.server.post(mapsPath, aMap("m"));
  expect([failed.status, failed.json.message]).toEqual([
    500,
    'Internal error occurred: failed calling webhook "down.example.com": failed to call webhook: Post "https://webhooks.test/down?timeout=10s": dial tcp 10.0.0.9:443: connect: connection refused',
  ]);
  await at.server.delete(`${configurationsPath.Validating}/a`);
  await at.configure("Validating", "a", { down: { rules: mapRules, failurePolicy: "Ignore" } });
  expect((await at.server.post(mapsPath, aMap("m"))).status).toBe(201);
});

test("a webhook that hangs delays only its own requests, up to its timeout", async () => {
  await using at = await start({ "/hang": () => new Promise<object>(() => {}) });
  await at.configure("Validating", "a", { hang: { rules: mapRules, timeoutSeconds: 3 } });
  const held = at.server.post(mapsPath, aMap("m"));
  expect((await at.server.post(podsPath, aPod("p"))).status).toBe(201);
  await at.server.clock.advance(3000);
  expect((await held).json.message).toContain(
    'failed calling webhook "hang.example.com": failed to call webhook: Post "https://webhooks.test/hang?timeout=3s": context deadline exceeded',
  );
});

test("a webhook that hangs leaves half of all writes in flight to other requests", async () => {
  const webhooks = new FakeWebhooks({ "/hang": () => new Promise<object>(() => {}), "/ok": () => ({ allowed: true }) });
  await using server = await TestServer.start({ writesInFlightMax: 4 }, { webhookTransport: webhooks });
  await server.post(configurationsPath.Validating, aConfiguration("Validating", "a", { hang: { rules: mapRules } }));
  const held = [1, 2].map((number) => server.post(mapsPath, aMap(`m${number}`)));
  const third = await server.post(mapsPath, aMap("m3"));
  expect(third.json.message).toContain("2 calls are in flight already");
  await server.clock.advance(10_000);
  expect((await Promise.all(held)).map(({ status }) => status)).toEqual([500, 500]);
});

test("webhooks never see the kinds that configure them, so they cannot lock users out of the cluster", async () => {
  await using at = await start({ "/deny": () => ({ allowed: false }) });
  await at.configure("Validating", "a", { deny: {} });
  await at.configure("Mutating", "b", { deny: {} });
  expect((await at.server.post(mapsPath, aMap("m"))).status).toBe(400);
  for (const [kind, name] of [
    ["Validating", "a"],
    ["Mutating", "b"],
  ] as const) {
    const path = `${configurationsPath[kind]}/${name}`;
    expect((await at.server.patch(path, { metadata: { labels: { a: "b" } } })).status).toBe(200);
    expect((await at.server.delete(path)).status).toBe(200);
  }
  expect((await at.server.post(mapsPath, aMap("m"))).status).toBe(201);
});

test("selectors match the labels of the namespace and of the object before and after the change", async () => {
  await using at = await start({ "/see": () => ({ allowed: true }) });
  await at.server.post("/api/v1/namespaces", { metadata: { name: "watched", labels: { watch: "yes" } } });
  await at.configure("Validating", "a", {
    see: {
      namespaceSelector: { matchLabels: { watch: "yes" } },
      objectSelector: { matchLabels: { app: "x" } },
      rules: mapRules,
    },
  });
  const watched = "/api/v1/namespaces/watched/configmaps";
  await at.server.post(mapsPath, aMap("elsewhere", { labels: { app: "x" } }));
  await at.server.post(watched, aMap("unlabelled"));
  expect(at.webhooks.reviews).toEqual([]);
  await at.server.post(watched, aMap("labelled", { labels: { app: "x" } }));
  await at.server.patch(`${watched}/labelled`, { metadata: { labels: { app: null } } });
  await at.server.patch(`${watched}/labelled`, { data: { a: "b" } });
  expect(at.webhooks.reviews.map(({ request }) => request.operation)).toEqual(["CREATE", "UPDATE"]);
});

test("rules match other versions of a kind unless they require an exact match", async () => {
  await using at = await start({ "/v1": () => ({ allowed: true }), "/exact": () => ({ allowed: true }) });
  const rules = [{ operations: ["CREATE"], apiGroups: ["events.k8s.io"], apiVersions: ["v1"], resources: ["events"] }];
  await at.configure("Validating", "a", { v1: { rules }, exact: { rules, matchPolicy: "Exact" } });
  const involvedObject = { kind: "Pod", namespace: "default", name: "p" };
  const event = {
    metadata: { name: "e", namespace: "default" },
    involvedObject,
    reason: "Seen",
    message: "hi",
    type: "Normal",
  };
  expect((await at.server.post("/api/v1/namespaces/default/events", event)).status).toBe(201);
  expect(at.webhooks.paths()).toEqual(["/v1"]);
  expect(at.webhooks.reviews[0]?.request).toMatchObject({
    kind: { group: "events.k8s.io", version: "v1", kind: "Event" },
    requestKind: { group: "", version: "v1", kind: "Event" },
    object: { apiVersion: "events.k8s.io/v1", note: "hi", regarding: { name: "p" } },
  });
});

test("each object of a collection is reviewed, and subresources are reviewed only if a rule names them", async () => {
  await using at = await start({ "/see": () => ({ allowed: true }) });
  await at.server.post(podsPath, aPod("a"));
  await at.server.post(podsPath, aPod("b"));
  const rules = [{ operations: ["*"], apiGroups: [""], apiVersions: ["*"], resources: ["pods", "pods/status"] }];
  await at.configure("Validating", "a", { see: { rules } });
  await at.server.patch(`${podsPath}/a/status`, { status: { message: "x" } });
  await at.server.delete(`${podsPath}?gracePeriodSeconds=0`);
  const seen = at.webhooks.reviews.map(({ request }) => [request.operation, request.subResource, request.name]);
  expect(seen).toEqual([
    ["UPDATE", "status", "a"],
    ["DELETE", undefined, "a"],
    ["DELETE", undefined, "b"],
  ]);
});

test("an object that changes while a webhook reviews it is reviewed again", async () => {
  await using at = await start({
    "/slow": async ({ object }) => {
      if (at.webhooks.reviews.length === 1) {
        await at.server.patch(
          `${mapsPath}/m/`,
          { data: { other: "1" } },
          { user: { name: "free", groups: ["system:masters"] } },
        );
      }
      return { allowed: object.data?.other === undefined };
    },
  });
  await at.server.post(mapsPath, aMap("m"));
  await at.configure("Validating", "a", {
    slow: { rules: mapRules, objectSelector: { matchLabels: { judged: "yes" } } },
  });
  const answer = await at.server.patch(`${mapsPath}/m`, { metadata: { labels: { judged: "yes" } } });
  expect(at.webhooks.reviews.length).toBe(2);
  expect(answer.status).toBe(400);
});

/** Eight megabytes, which the size of an answer allows. */
const brackets = "[".repeat(4 * 1024 * 1024 - 100) + "]".repeat(4 * 1024 * 1024 - 100);

test.each(["Validating", "Mutating"] as const)(
  "deeply nested brackets in a webhook's answer do not block the server (%s)",
  async (kind) => {
    const review = (response: string) => ({
      status: 200,
      body: `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":${response}}`,
    });
    const patch = Buffer.from(brackets.slice(1_500_000, -1_500_000)).toString("base64");
    await using at = await start({
      "/deep": () => review(brackets),
      "/patch": ({ uid }) => review(JSON.stringify({ uid, allowed: true, patchType: "JSONPatch", patch })),
    });
    for (const path of kind === "Validating" ? ["deep"] : ["deep", "patch"]) {
      await at.configure(kind, path, { [path]: { rules: mapRules, failurePolicy: "Fail" } });
      const spentMs = await leastProcessorMs(async () => {
        const { status, json } = await at.server.post(mapsPath, aMap("a"));
        expect([status, json.message]).toEqual([500, expect.stringContaining("nests deeper than 66 levels")]);
      }, 250);
      expect(spentMs).toBeLessThan(250);
      await at.server.delete(`${configurationsPath[kind]}/${path}`);
    }
  },
);

test("a webhook may return the whole review, however many values it has", async () => {
  const data = Object.fromEntries(Array.from({ length: 4_000 }, (_, i) => [`k${i}`, "v"]));
  await using at = await start({
    "/echo": (request) => ({
      status: 200,
      body: JSON.stringify({
        apiVersion: "admission.k8s.io/v1",
        kind: "AdmissionReview",
        request,
        response: { uid: (request as { uid: string }).uid, allowed: true },
      }),
    }),
  });
  await at.configure("Validating", "a", { echo: { rules: mapRules, failurePolicy: "Fail" } });
  expect((await at.server.post(mapsPath, { ...aMap("a"), data })).status).toBe(201);
  expect((await at.server.put(`${mapsPath}/a`, { ...aMap("a"), data: { ...data, k1: "w" } })).status).toBe(200);
});
