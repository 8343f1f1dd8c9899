import { describe, expect, test } from "vitest";
import { aPod, podsPath, TestServer } from "../testing/test-server.ts";

const alice = { name: "alice", groups: [] };
const node1 = { name: "system:node:n1", groups: ["system:nodes"] };

describe("authorization", () => {
  test.each([
    [undefined, "GET", podsPath, 401],
    [undefined, "GET", "/livez", 200],
    [undefined, "GET", "/readyz/ping", 401],
    [undefined, "GET", "/version", 200],
    [undefined, "GET", "/versions", 401],
    [undefined, "GET", "/metrics", 401],
    [alice, "GET", podsPath, 403],
    [alice, "GET", "/api/v1/namespaces/default/pods/none", 403],
    [alice, "GET", "/apis", 200],
    [node1, "GET", "/api/v1/nodes/n1", 404],
    [node1, "DELETE", "/api/v1/nodes/n1", 403],
  ])("%j may %s %s: %i", async (user, method, path, status) => {
    await using server = await TestServer.start();
    expect((await server.call(method, path, { user })).status).toBe(status);
  });

  test("a refusal names the caller, the verb and the resource, and is the same for existing and missing objects", async () => {
    await using server = await TestServer.start();
    await server.post(podsPath, aPod("web"));
    const [there, missing] = await Promise.all(
      ["web", "none"].map((name) => server.get(`${podsPath}/${name}`, { user: alice })),
    );
    expect(there?.json.message).toBe(
      'pods "web" is forbidden: User "alice" cannot get resource "pods" in API group "" in the namespace "default"',
    );
    expect(missing?.json.message).toBe(there?.json.message.replace('"web"', '"none"'));
  });

  test("a role and its binding apply from the moment they are written", async () => {
    await using server = await TestServer.start();
    const rbac = "/apis/rbac.authorization.k8s.io/v1/namespaces/default";
    await server.post(`${rbac}/roles`, {
      metadata: { name: "r" },
      rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["list"] }],
    });
    const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "r" };
    const subjects = [{ kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "alice" }];
    await server.post(`${rbac}/rolebindings`, { metadata: { name: "b" }, roleRef, subjects });
    expect((await server.get(podsPath, { user: alice })).status).toBe(200);
    await server.delete(`${rbac}/rolebindings/b`);
    expect((await server.get(podsPath, { user: alice })).status).toBe(403);
  });

  test("a node may write its own status and lease and nothing of another node", async () => {
    await using server = await TestServer.start();
    expect((await server.post("/api/v1/nodes", { metadata: { name: "n1" } }, { user: node1 })).status).toBe(201);
    expect((await server.post("/api/v1/nodes", { metadata: { name: "n2" } }, { user: node1 })).status).toBe(403);
    const status = { status: { nodeInfo: undefined, conditions: [{ type: "Ready", status: "True" }] } };
    expect((await server.patch("/api/v1/nodes/n1/status", status, { user: node1 })).status).toBe(200);
    const owner = { apiVersion: "v1", kind: "Node", name: "n1", uid: "u" };
    const escape = { metadata: { ownerReferences: [owner] } };
    expect((await server.patch("/api/v1/nodes/n1", escape, { user: node1 })).status).toBe(403);
    const leases = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";
    const lease = (name: string) => ({ metadata: { name }, spec: { holderIdentity: name, leaseDurationSeconds: 40 } });
    expect((await server.post(leases, lease("n1"), { user: node1 })).status).toBe(201);
    expect((await server.post(leases, lease("n2"), { user: node1 })).status).toBe(403);
  });
});

describe("reviews", () => {
  const path = "/apis/authorization.k8s.io/v1";

  test("report the rights of callers and of other users", async () => {
    await using server = await TestServer.start();
    const resourceAttributes = { namespace: "default", verb: "get", resource: "pods" };
    const own = await server.post(
      `${path}/selfsubjectaccessreviews`,
      { spec: { resourceAttributes } },
      { user: alice },
    );
    expect(own).toMatchObject({ status: 201, json: { status: { allowed: false } } });
    const other = await server.post(`${path}/subjectaccessreviews`, {
      spec: { resourceAttributes, user: "x", groups: ["system:masters"] },
    });
    expect(other.json.status.allowed).toBe(true);
    expect((await server.post(`${path}/subjectaccessreviews`, { spec: { resourceAttributes } })).status).toBe(400);
    expect((await server.post(`${path}/selfsubjectaccessreviews`, { spec: {} })).status).toBe(400);
  });

  test.each(["v1", "v1beta1"])("report to callers their identity (%s)", async (version) => {
    await using server = await TestServer.start();
    const answer = await server.post(`/apis/authentication.k8s.io/${version}/selfsubjectreviews`, {}, { user: alice });
    expect(answer.json).toMatchObject({
      apiVersion: `authentication.k8s.io/${version}`,
      status: { userInfo: { username: "alice", groups: ["system:authenticated"] } },
    });
  });

  test("list the rules of a caller", async () => {
    await using server = await TestServer.start();
    const answer = await server.post(`${path}/selfsubjectrulesreviews`, { spec: { namespace: "default" } });
    expect(answer.json.status.resourceRules).toContainEqual({ verbs: ["*"], apiGroups: ["*"], resources: ["*"] });
  });
});

describe("limits", () => {
  test("writes beyond the limit in flight receive a Retry-After; leases and reads continue", async () => {
    await using server = await TestServer.start({ writesInFlightMax: 2 });
    const names = ["a", "b", "c", "d"];
    const answers = await Promise.all(names.map((name) => server.post(podsPath, aPod(name))));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(2);
    expect(refused[0]).toMatchObject({ headers: { "retry-after": "1" }, json: { reason: "TooManyRequests" } });
    const leases = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
    const exempt = await Promise.all(
      names.map((name) =>
        server.post(leases, { metadata: { name }, spec: { holderIdentity: name, leaseDurationSeconds: 1 } }),
      ),
    );
    expect(exempt.every(({ status }) => status === 201)).toBe(true);
  });

  test("a full disk accepts leases and deletes, and reports for other writes that nothing was written", async () => {
    await using server = await TestServer.start();
    await server.post(podsPath, aPod("old"));
    const lease = "/apis/coordination.k8s.io/v1/namespaces/default/leases/l";
    await server.put(lease, { metadata: { name: "l" }, spec: { holderIdentity: "x", leaseDurationSeconds: 1 } });
    server.store.setFull(true);
    expect(await server.post(podsPath, aPod("web"))).toMatchObject({ status: 507, json: { reason: "StorageFull" } });
    const { json } = await server.get(lease);
    expect((await server.put(lease, { ...json, spec: { ...json.spec, holderIdentity: "y" } })).status).toBe(200);
    expect((await server.patch(lease, { spec: { holderIdentity: "z" } })).status).toBe(200);
    expect((await server.delete(`${podsPath}/old`)).status).toBe(200);
  });

  test("a write with an unknown outcome is reported as such, and the server exits", async () => {
    const server = new TestServer();
    const running = server.server.run(new AbortController().signal);
    await server.server.ready;
    server.store.breakDisk(new Error("EIO"));
    const answer = await server.post(podsPath, aPod("web"));
    expect(answer.status).toBe(500);
    expect(answer.json.message).toContain("outcome unknown");
    await expect(running).rejects.toThrow("EIO");
  });
});

test("health is reported in one word, or check by check", async () => {
  const server = new TestServer();
  const early = await server.get("/readyz");
  expect(early.status).toBe(500);
  expect(early.text).toContain("[-]poststarthook/bootstrap failed: reason withheld");
  await using ready = await TestServer.start();
  expect((await ready.get("/readyz")).text).toBe("ok");
  expect((await ready.get("/livez?verbose")).text).toBe("[+]ping ok\nlivez check passed\n");
});
