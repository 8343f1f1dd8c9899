import { describe, expect, test } from "vitest";
import { aPod, podsPath, TestServer } from "../testing/test-server.ts";

const configMapsPath = "/api/v1/namespaces/default/configmaps";

describe("creating", () => {
  test("returns the stored object, completed by the server", async () => {
    await using server = await TestServer.start();
    const created = await server.post(podsPath, aPod("web"));
    expect(created.status).toBe(201);
    expect(created.json.metadata).toMatchObject({ name: "web", namespace: "default", generation: 1 });
    expect(created.json.metadata.uid).toMatch(/^[0-9a-f-]{36}$/);
    expect(created.json.metadata.creationTimestamp).toBe("2026-01-01T00:00:00Z");
    expect(created.json.status).toEqual({ phase: "Pending", qosClass: "BestEffort" });
    expect(created.json.spec).toMatchObject({ serviceAccountName: "default", priority: 0, restartPolicy: "Always" });
    expect(await server.get(`${podsPath}/web`)).toMatchObject({ status: 200, text: created.text });
  });

  test("a static pod's mirror gets no service account and may refer to no API objects", async () => {
    await using server = await TestServer.start();
    const user = { name: "system:node:node-1", groups: ["system:nodes", "system:authenticated"] };
    const node = (await server.post("/api/v1/nodes", { metadata: { name: "node-1" } }, { user })).json;
    const owner = { apiVersion: "v1", kind: "Node", name: "node-1", uid: node.metadata.uid, controller: true };
    const metadata = { annotations: { "kubernetes.io/config.mirror": "1234" }, ownerReferences: [owner] };
    const spec = (more: object) => ({ nodeName: "node-1", containers: [{ name: "c", image: "busybox" }], ...more });
    const created = await server.post(podsPath, { ...aPod("web", { metadata }), spec: spec({}) }, { user });
    expect(created.json.spec.serviceAccountName).toBeUndefined();
    for (const [more, because] of [
      [{ serviceAccountName: "admin" }, "a mirror pod may not reference service accounts"],
      [{ volumes: [{ name: "v", secret: { secretName: "s" } }] }, "a mirror pod may not reference secrets"],
      [{ volumes: [{ name: "v", configMap: { name: "s" } }] }, "a mirror pod may not reference configmaps"],
    ] as const) {
      const refused = await server.post(podsPath, { ...aPod("other", { metadata }), spec: spec(more) }, { user });
      expect(refused).toMatchObject({ status: 403, json: { message: `pods "other" is forbidden: ${because}` } });
    }
  });

  test("a second object of the same name is rejected", async () => {
    await using server = await TestServer.start();
    await server.post(podsPath, aPod("web"));
    const second = await server.post(podsPath, aPod("web"));
    expect(second.status).toBe(409);
    expect(second.json).toMatchObject({
      reason: "AlreadyExists",
      message: 'pods "web" already exists',
      details: { name: "web", kind: "pods" },
    });
  });

  test("a generated name is the prefix and five letters, different each time", async () => {
    await using server = await TestServer.start();
    const names = await Promise.all(
      [1, 2, 3].map(async () => {
        const pod = aPod("", { metadata: { generateName: "web-" } });
        return (await server.post(podsPath, pod)).json.metadata.name as string;
      }),
    );
    for (const name of names) expect(name).toMatch(/^web-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    expect(new Set(names).size).toBe(3);
  });

  test("the server's own metadata is ignored in a client's object", async () => {
    await using server = await TestServer.start();
    const metadata = {
      uid: "mine",
      generation: 7,
      creationTimestamp: "2000-01-01T00:00:00Z",
      deletionTimestamp: "2000-01-01T00:00:00Z",
      selfLink: "/x",
    };
    const created = await server.post(podsPath, { ...aPod("web", { metadata }), status: { phase: "Running" } });
    expect(created.json.metadata.uid).not.toBe("mine");
    expect(created.json.metadata).toMatchObject({ generation: 1, creationTimestamp: "2026-01-01T00:00:00Z" });
    expect(created.json.metadata.deletionTimestamp).toBeUndefined();
    expect(created.json.status.phase).toBe("Pending");
  });

  test.each([
    ["a missing namespace", "/api/v1/namespaces/nowhere/pods", aPod("a"), 404, "NotFound"],
    [
      "a namespace that differs from the URL's",
      podsPath,
      aPod("a", { metadata: { namespace: "other" } }),
      400,
      "BadRequest",
    ],
    [
      "a kind that differs from the URL's",
      podsPath,
      { apiVersion: "v1", kind: "Node", metadata: { name: "a" } },
      400,
      "BadRequest",
    ],
    ["a version that differs from the URL's", podsPath, { ...aPod("a"), apiVersion: "v2" }, 400, "BadRequest"],
    ["a resourceVersion", podsPath, aPod("a", { metadata: { resourceVersion: "5" } }), 400, "BadRequest"],
    ["no name", podsPath, aPod(""), 422, "Invalid"],
    ["a name with a slash", podsPath, aPod("a/b"), 422, "Invalid"],
    ["a name with dots only", podsPath, aPod(".."), 422, "Invalid"],
    ["no container", podsPath, aPod("a", { spec: { containers: [] } }), 422, "Invalid"],
    ["text for a number", podsPath, aPod("a", { spec: { terminationGracePeriodSeconds: "30" } }), 400, "BadRequest"],
    ["a namespace for a node", "/api/v1/nodes", { metadata: { name: "n", namespace: "x" } }, 400, "BadRequest"],
    [
      "a key that leaves its directory",
      configMapsPath,
      { metadata: { name: "c" }, data: { "../../etc/x": "" } },
      422,
      "Invalid",
    ],
  ])("with %s is rejected", async (_what, path, body, status, reason) => {
    await using server = await TestServer.start();
    const answer = await server.post(path, body);
    expect(answer.json).toMatchObject({ kind: "Status", status: "Failure", reason, code: status });
    expect(answer.status).toBe(status);
  });

  test("a dry run performs every step but does not write", async () => {
    await using server = await TestServer.start();
    const before = server.store.revision();
    const answer = await server.post(`${podsPath}?dryRun=All`, aPod("web"));
    expect(answer.status).toBe(201);
    expect(answer.json.spec.restartPolicy).toBe("Always");
    expect(server.store.revision()).toBe(before);
    expect((await server.get(`${podsPath}/web`)).status).toBe(404);
    expect((await server.post(`${podsPath}?dryRun=yes`, aPod("web"))).status).toBe(422);
  });
});

test("an object of another kind is rejected with its kind and version, without the group", async () => {
  await using server = await TestServer.start();
  const { status, json } = await server.post(podsPath, { ...aPod("web"), apiVersion: "apps/v1", kind: "Deployment" });
  expect([status, json.message]).toEqual([
    400,
    'Deployment in version "v1" cannot be handled as a Pod: no kind "Deployment" is registered for this resource',
  ]);
});

describe("unknown fields of a kind", () => {
  const typo = aPod("web", { spec: { restartPolicyy: "Never" } });

  test("are rejected if validation is strict", async () => {
    await using server = await TestServer.start();
    const answer = await server.post(`${podsPath}?fieldValidation=Strict`, typo);
    expect(answer.status).toBe(400);
    expect(answer.json.message).toBe(
      'Pod in version "v1" cannot be handled as a Pod: strict decoding error: unknown field "spec.restartPolicyy"',
    );
  });

  test.each(["?fieldValidation=Warn", ""])("are dropped with a warning under other validation (%s)", async (query) => {
    await using server = await TestServer.start();
    const answer = await server.post(`${podsPath}${query}`, typo);
    expect(answer.status).toBe(201);
    expect(answer.json.spec.restartPolicyy).toBeUndefined();
    expect(answer.headers["warning"]).toBe('299 - "unknown field \\"spec.restartPolicyy\\""');
  });

  test("are dropped without a warning if they are to be ignored", async () => {
    await using server = await TestServer.start();
    expect((await server.post(`${podsPath}?fieldValidation=Ignore`, typo)).headers["warning"]).toBeUndefined();
  });

  test("a duplicate key is rejected if validation is strict", async () => {
    await using server = await TestServer.start();
    const body = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"},"data":{"a":"1","a":"2"}}';
    const strict = await server.post(`${configMapsPath}?fieldValidation=Strict`, body);
    expect(strict.json.message).toContain('duplicate field "data.a"');
    expect((await server.post(configMapsPath, body)).json.data).toEqual({ a: "2" });
  });
});

describe("admission", () => {
  test("lets pods remain five minutes on a failed node unless they specify another time", async () => {
    await using server = await TestServer.start();
    const own = {
      key: "node.kubernetes.io/unreachable",
      operator: "Exists",
      effect: "NoExecute",
      tolerationSeconds: 5,
    };
    const created = await server.post(podsPath, aPod("web", { spec: { tolerations: [own] } }));
    expect(created.json.spec.tolerations).toEqual([
      own,
      { key: "node.kubernetes.io/not-ready", operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 },
    ]);
  });

  test("the times of the default tolerations are options", async () => {
    await using server = await TestServer.start({
      defaultNotReadyTolerationSeconds: 7,
      defaultUnreachableTolerationSeconds: 9,
    });
    const created = await server.post(podsPath, aPod("web"));
    expect(created.json.spec.tolerations.map((t: { tolerationSeconds: number }) => t.tolerationSeconds)).toEqual([
      7, 9,
    ]);
  });

  test("a new node is tainted until its conditions are reported", async () => {
    await using server = await TestServer.start();
    const status = { conditions: [{ type: "Ready", status: "True" }] };
    const created = await server.post("/api/v1/nodes", { metadata: { name: "n1" }, status });
    expect(created.json.spec.taints).toEqual([{ key: "node.kubernetes.io/not-ready", effect: "NoSchedule" }]);
    expect(created.json.status.conditions[0].status).toBe("True");
  });

  test("a namespace that is being deleted accepts no new objects", async () => {
    await using server = await TestServer.start();
    await server.post("/api/v1/namespaces", { metadata: { name: "old" } });
    await server.delete("/api/v1/namespaces/old");
    const answer = await server.post("/api/v1/namespaces/old/pods", aPod("web"));
    expect(answer.status).toBe(403);
    expect(answer.json.details.causes[0]).toEqual({
      reason: "NamespaceTerminating",
      message: "namespace old is being terminated",
      field: "metadata.namespace",
    });
  });
});

test("every service gets its own address and keeps it", async () => {
  await using server = await TestServer.start({ serviceClusterIpRange: "10.96.0.0/29" });
  const path = "/api/v1/namespaces/default/services";
  const service = (name: string) => ({ metadata: { name }, spec: { ports: [{ port: 80 }] } });
  const addresses = new Set<string>();
  for (let i = 0; i < 6; i++) addresses.add((await server.post(path, service(`s${i}`))).json.spec.clusterIP as string);
  expect([...addresses].toSorted()).toEqual([1, 2, 3, 4, 5, 6].map((last) => `10.96.0.${last}`));
  expect((await server.post(path, service("one-too-many"))).json.message).toContain("range is full");
  const updated = await server.put(`${path}/s0`, service("s0"));
  expect(addresses).toContain(updated.json.spec.clusterIP);
});

test("a namespace has its name as a label and the finalizer that its controller removes", async () => {
  await using server = await TestServer.start();
  const created = await server.post("/api/v1/namespaces", { metadata: { name: "team" } });
  expect(created.json).toMatchObject({
    metadata: { labels: { "kubernetes.io/metadata.name": "team" } },
    spec: { finalizers: ["kubernetes"] },
    status: { phase: "Active" },
  });
});
