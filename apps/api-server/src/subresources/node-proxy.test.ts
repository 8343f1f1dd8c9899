import { expect, test } from "vitest";
import { kubeletThatAnswers } from "../testing/kubelet-that-answers.ts";
import { aPod, podsPath, TestServer } from "../testing/test-server.ts";
import type { KubeletDialer } from "../kubelet/kubelet-dialer.ts";

const proxy = "/api/v1/nodes/n1/proxy";

async function start(kubeletDialer: KubeletDialer): Promise<TestServer> {
  const server = await TestServer.start({}, { kubeletDialer });
  const addresses = [{ type: "InternalIP", address: "10.1.0.2" }];
  await server.post("/api/v1/nodes", { metadata: { name: "n1" }, status: { addresses } });
  return server;
}

test.each([
  ["/stats/summary?only_cpu_and_memory=true", "/stats/summary?only_cpu_and_memory=true"],
  ["/containerLogs/default/web/a%20b", "/containerLogs/default/web/a%20b"],
  ["/", "/"],
  ["", "/"],
])("a node's proxy forwards %s to its kubelet", async (path, there) => {
  const { asked, kubeletDialer } = kubeletThatAnswers(200, "42", "text/x-kubelet");
  await using server = await start(kubeletDialer);
  const answer = await server.get(`${proxy}${path}`);
  expect(answer).toMatchObject({ status: 200, text: "42", headers: { "content-type": "text/x-kubelet" } });
  expect(asked).toEqual([`n1 10.1.0.2:10250${there}`]);
});

test("a name may include the kubelet's port and no other port", async () => {
  const { asked, kubeletDialer } = kubeletThatAnswers(200, "");
  await using server = await start(kubeletDialer);
  for (const name of ["n1:10250", "https:n1:10250"])
    expect((await server.get(`/api/v1/nodes/${name}/proxy/pods`)).status).toBe(200);
  expect(asked).toEqual(Array(2).fill("n1 10.1.0.2:10250/pods"));
  for (const name of ["n1:22", "ftp:n1:10250", "https:n1:10250:1"])
    expect((await server.get(`/api/v1/nodes/${name}/proxy/pods`)).status).toBe(400);
  expect(asked).toHaveLength(2);
});

test("the kubelet's refusal is returned unchanged", async () => {
  const { kubeletDialer } = kubeletThatAnswers(404, "404 page not found");
  await using server = await start(kubeletDialer);
  expect(await server.get(`${proxy}/nope`)).toMatchObject({ status: 404, text: "404 page not found" });
});

test("every method is forwarded with its body, and only to the kubelet", async () => {
  const { asked, kubeletDialer } = kubeletThatAnswers(200, "done");
  await using server = await start(kubeletDialer);
  const ran = await server.post(`${proxy}/run/default/web/main?cmd=id`, "x");
  expect([ran.status, ran.text]).toEqual([200, "done"]);
  for (const method of ["PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"]) await server.call(method, `${proxy}/pods`);
  expect(asked).toEqual([
    "POST n1 10.1.0.2:10250/run/default/web/main?cmd=id x",
    ...["PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"].map((method) => `${method} n1 10.1.0.2:10250/pods`),
  ]);
  const refused = [await server.get(`${proxy}/..%2f..%2fx`), await server.get("/api/v1/nodes/nope/proxy/pods")];
  expect(refused.map(({ status }) => status)).toEqual([400, 404]);
  expect(asked).toHaveLength(6);
});

test("a user with read permission cannot exec into a container", async () => {
  const { asked, kubeletDialer } = kubeletThatAnswers(400, "no upgrade");
  await using server = await start(kubeletDialer);
  const rbac = "/apis/rbac.authorization.k8s.io/v1";
  const apiGroup = "rbac.authorization.k8s.io";
  const bind = async (name: string, verbs: string[]) => {
    const rules = [{ apiGroups: [""], resources: ["nodes/proxy"], verbs }];
    await server.post(`${rbac}/clusterroles`, { metadata: { name }, rules });
    await server.post(`${rbac}/clusterrolebindings`, {
      metadata: { name },
      roleRef: { apiGroup, kind: "ClusterRole", name },
      subjects: [{ kind: "User", apiGroup, name }],
    });
    return { user: { name, groups: ["system:authenticated"] } };
  };
  const [reader, operator] = [await bind("reader", ["get"]), await bind("operator", ["get", "create"])];
  const exec = `${proxy}/exec/default/web/main?command=id`;
  const upgrade = { upgrade: "websocket", headers: { upgrade: "websocket" } };
  const refused = [await server.get(exec, { ...reader, ...upgrade }), await server.post(exec, {}, reader)];
  expect(refused.map(({ json }) => json.message)).toEqual(
    Array(2).fill(expect.stringContaining('User "reader" cannot create resource "nodes/proxy"')),
  );
  expect(asked).toEqual([]);
  expect((await server.get(exec, { ...operator, ...upgrade })).text).toBe("no upgrade");
  expect(asked).toEqual(["GET n1 10.1.0.2:10250/exec/default/web/main?command=id upgraded"]);
});

test("the node proxy needs a permission of its own", async () => {
  const { asked, kubeletDialer } = kubeletThatAnswers(200, "");
  await using server = await start(kubeletDialer);
  const { status, json } = await server.get(`${proxy}/pods`, { user: { name: "reader", groups: [] } });
  expect([status, json.message]).toEqual([
    403,
    'nodes "n1" is forbidden: User "reader" cannot get resource "nodes/proxy" in API group "" at the cluster scope',
  ]);
  expect(asked).toEqual([]);
});

test("nothing is served behind any other subresource", async () => {
  const { kubeletDialer } = kubeletThatAnswers(200, "");
  await using server = await start(kubeletDialer);
  await server.post(podsPath, aPod("web"));
  expect(await server.get(`${podsPath}/web/status/more`)).toMatchObject({ status: 404, json: { reason: "NotFound" } });
});
