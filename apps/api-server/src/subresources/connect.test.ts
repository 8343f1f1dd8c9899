import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { aPod, type CallOptions, podsPath, TestServer } from "../testing/test-server.ts";
import type { KubeletDialer, KubeletUpgrade } from "../kubelet/kubelet-dialer.ts";

const web = `${podsPath}/web`;
const rbac = "/apis/rbac.authorization.k8s.io/v1/namespaces/default";
const webSocket = { upgrade: "websocket", headers: { upgrade: "websocket", authorization: "Bearer secret" } };

function kubelet(answer: () => KubeletUpgrade) {
  const asked: { where: string; headers: object }[] = [];
  const kubeletDialer: KubeletDialer = {
    send: () => Promise.reject(new Error("not asked for")),
    get: () => Promise.reject(new Error("not asked for")),
    upgrade: async ({ address, port }, { method, path, headers }) => {
      asked.push({ where: `${method} ${address}:${port}${path}`, headers });
      return answer();
    },
  };
  return { asked, kubeletDialer };
}

const accepted = (socket = new PassThrough()): KubeletUpgrade => ({
  upgraded: true,
  headers: { connection: "Upgrade", upgrade: "websocket" },
  tunnel: { socket, head: new Uint8Array() },
});

function refused(status: number, text: string): KubeletUpgrade {
  const body = [Buffer.from(text)] as unknown as AsyncIterable<Uint8Array>;
  return { upgraded: false, response: { status, contentType: "text/plain", body } };
}

async function start(kubeletDialer: KubeletDialer, containers?: object[]): Promise<TestServer> {
  const server = await TestServer.start({}, { kubeletDialer });
  await server.post(podsPath, aPod("web", containers === undefined ? {} : { spec: { containers } }));
  const addresses = [{ type: "InternalIP", address: "10.1.0.2" }];
  await server.post("/api/v1/nodes", { metadata: { name: "n1" }, status: { addresses } });
  await server.post(`${web}/binding`, { metadata: { name: "web" }, target: { kind: "Node", name: "n1" } });
  return server;
}

test.each([
  [
    `${web}/exec?command=sh&command=-c&command=a%20b&stdin=true&stdout=true&tty=false`,
    "GET 10.1.0.2:10250/exec/default/web/main?input=1&output=1&command=sh&command=-c&command=a+b",
  ],
  [
    `${web}/attach?container=main&stdout=true&stderr=true`,
    "GET 10.1.0.2:10250/attach/default/web/main?output=1&error=1",
  ],
  [`${web}/portforward?ports=80`, "GET 10.1.0.2:10250/portForward/default/web?port=80"],
])("%s is connected to the kubelet, which receives none of the caller's credentials", async (path, where) => {
  const { asked, kubeletDialer } = kubelet(() => accepted());
  await using server = await start(kubeletDialer);
  const response = await server.send("GET", path, webSocket);
  expect(response).toMatchObject({ status: 101, headers: { upgrade: "websocket" } });
  expect(asked).toEqual([{ where, headers: { connection: "Upgrade", upgrade: "websocket" } }]);
});

test.each<[string, string, CallOptions, number, string]>([
  ["without an upgrade", `${web}/exec?command=id`, {}, 400, "Upgrade request required"],
  ["a missing container", `${web}/exec?container=x`, webSocket, 400, "container x is not valid for pod web"],
  ["a missing pod", `${podsPath}/nope/exec`, webSocket, 404, 'pods "nope" not found'],
])("%s is rejected", async (_what, path, options, status, message) => {
  const { asked, kubeletDialer } = kubelet(() => accepted());
  await using server = await start(kubeletDialer);
  expect(await server.get(path, options)).toMatchObject({ status, json: { message } });
  expect(asked).toEqual([]);
});

test("a request for a pod of several containers must name a container", async () => {
  const { kubeletDialer } = kubelet(() => accepted());
  const containers = ["a", "b"].map((name) => ({ name, image: "busybox:1.36" }));
  await using server = await start(kubeletDialer, containers);
  const { json } = await server.get(`${web}/exec`, webSocket);
  expect(json.message).toBe("a container name must be specified for pod web, choose one of: [a b]");
});

test("a pod without a node cannot be connected to", async () => {
  const { kubeletDialer } = kubelet(() => accepted());
  await using server = await start(kubeletDialer);
  await server.post(podsPath, aPod("waits"));
  const { status, json } = await server.get(`${podsPath}/waits/exec`, webSocket);
  expect([status, json.message]).toEqual([400, "pod waits does not have a host assigned"]);
});

test("the kubelet's refusal is returned to the caller unchanged", async () => {
  const { kubeletDialer } = kubelet(() => refused(500, 'container not found ("main")'));
  await using server = await start(kubeletDialer);
  const answer = await server.get(`${web}/exec`, webSocket);
  expect(answer).toMatchObject({ status: 500, text: 'container not found ("main")' });
});

test("a user who may get pods/exec through a WebSocket must also be allowed to create it", async () => {
  const { kubeletDialer } = kubelet(() => accepted());
  await using server = await start(kubeletDialer);
  const reader = { name: "reader", groups: ["system:authenticated"] };
  const role = (verbs: string[]) => ({
    metadata: { name: "exec" },
    rules: [{ apiGroups: [""], resources: ["pods/exec"], verbs }],
  });
  await server.post(`${rbac}/roles`, role(["get"]));
  const subjects = [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "reader" }];
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "exec" };
  await server.post(`${rbac}/rolebindings`, { metadata: { name: "exec" }, subjects, roleRef });
  const denied = await server.get(`${web}/exec`, { ...webSocket, user: reader });
  expect(denied.status).toBe(403);
  expect(denied.json.message).toContain(
    'cannot create resource "pods/exec" in API group "" in the namespace "default"',
  );
  await server.put(`${rbac}/roles/exec`, role(["create", "get"]));
  expect((await server.send("GET", `${web}/exec`, { ...webSocket, user: reader })).status).toBe(101);
});

test("a response that is neither an upgrade nor a refusal does not free a stream's place", async () => {
  const answers = [refused(302, "elsewhere")];
  const { kubeletDialer } = kubelet(() => answers.pop() ?? accepted());
  await using server = await start(kubeletDialer);
  const open = () => server.send("GET", `${web}/exec`, webSocket);
  expect((await open()).status).toBe(500);
  for (let count = 0; count < 64; count++) expect((await open()).status).toBe(101);
  expect((await open()).status).toBe(429);
});

test("at most 64 streams to a container are open without a request to the kubelet, and a closed stream frees its place", async () => {
  const sockets: PassThrough[] = [];
  const { asked, kubeletDialer } = kubelet(() => {
    const socket = new PassThrough();
    sockets.push(socket);
    return accepted(socket);
  });
  await using server = await start(kubeletDialer);
  const open = () => server.send("GET", `${web}/exec`, webSocket);
  for (let count = 0; count < 64; count++) await open();
  expect(await server.get(`${web}/exec`, webSocket)).toMatchObject({
    status: 429,
    json: { message: expect.stringContaining("has 64 streams") },
  });
  expect(asked).toHaveLength(64);
  await new Promise((resolve) => sockets[0]?.once("close", resolve).destroy());
  expect((await open()).status).toBe(101);
});
