import { expect, test } from "vitest";
import { aPod, podsPath, TestServer } from "../testing/test-server.ts";

const mirror = "kubernetes.io/config.mirror";
const terminations = "kintsugi.dev/terminations";
const nodeOf = (name: string) => ({ name: `system:node:${name}`, groups: ["system:nodes", "system:authenticated"] });

/** A server with a Node, and a pod that is bound to it. */
async function startServer(annotations: Record<string, string> = {}) {
  const server = await TestServer.start();
  const node = await server.post("/api/v1/nodes", { metadata: { name: "node-1" } }, { user: nodeOf("node-1") });
  const spec = { nodeName: "node-1", containers: [{ name: "c", image: "busybox" }] };
  const pod = await server.post(podsPath, { ...aPod("web", { metadata: { annotations } }), spec });
  const owner = { apiVersion: "v1", kind: "Node", name: "node-1", uid: node.json.metadata.uid, controller: true };
  const mirrorPod = (name: string) => ({
    metadata: { name, annotations: { [mirror]: pod.json.metadata.uid }, ownerReferences: [owner] },
    spec,
  });
  return Object.assign(server, { pod: pod.json, mirrorPod });
}

test.each([
  ["an administrator", { name: "admin", groups: ["system:masters"] }],
  ["a controller", { name: "system:kube-controller-manager", groups: ["system:masters"] }],
])("%s cannot make a mirror pod", async (_, user) => {
  await using server = await startServer();
  const refused = await server.post(podsPath, server.mirrorPod("copy"), { user });
  const applied = { contentType: "application/apply-patch+yaml", user };
  const body = { apiVersion: "v1", kind: "Pod", ...server.mirrorPod("applied") };
  expect((await server.patch(`${podsPath}/applied?fieldManager=m`, body, applied)).status).toBe(403);
  expect(refused.status).toBe(403);
  expect(refused.json.message).toBe(
    `pods "copy" is forbidden: annotation "${mirror}" is reserved: only the node that the pod is bound to may set, change or remove it`,
  );
});

test("a node creates mirror pods for itself and not for another node", async () => {
  await using server = await startServer();
  expect((await server.post(podsPath, server.mirrorPod("a"), { user: nodeOf("node-1") })).status).toBe(201);
  expect((await server.post(podsPath, server.mirrorPod("b"), { user: nodeOf("node-2") })).status).toBe(403);
});

test("a pod never becomes a mirror pod later, whatever the way of writing", async () => {
  await using server = await startServer();
  const path = `${podsPath}/web`;
  const body = { metadata: { annotations: { [mirror]: "x" } } };
  const user = nodeOf("node-1");
  const answers = [
    await server.patch(path, body),
    await server.put(path, { ...server.pod, metadata: { ...server.pod.metadata, ...body.metadata } }),
    await server.patch(
      `${path}?fieldManager=m&force=true`,
      { apiVersion: "v1", kind: "Pod", ...body },
      {
        contentType: "application/apply-patch+yaml",
      },
    ),
    await server.patch(`${path}/status`, body),
    await server.patch(`${path}/status`, body, { user }),
  ];
  for (const { status } of answers) expect([403, 422]).toContain(status);
  expect((await server.get(path)).json.metadata.annotations).toEqual({});
});

test("a Binding adds annotations to its pod but no reserved annotations", async () => {
  await using server = await startServer();
  const metadata = { name: "free", annotations: { "example.com/kept": "1" } };
  await server.post(podsPath, {
    ...aPod("free", { metadata }),
    spec: { containers: [{ name: "c", image: "busybox" }] },
  });
  const bind = (annotations: Record<string, string>) => {
    const target = { apiVersion: "v1", kind: "Node", name: "node-1" };
    return server.post(`${podsPath}/free/binding`, { metadata: { name: "free", annotations }, target });
  };
  expect((await bind({ [mirror]: server.pod.metadata.uid })).status).toBe(403);
  expect((await bind({ "example.com/zone": "a" })).status).toBe(201);
  expect((await server.get(`${podsPath}/free`)).json.metadata.annotations).toEqual({
    "example.com/kept": "1",
    "example.com/zone": "a",
  });
});

test("a node that writes a pod's status may annotate how its containers ended, and may change no other annotation", async () => {
  await using server = await startServer({ "kintsugi.dev/avoid-nodes": "node-9" });
  const user = nodeOf("node-1");
  const write = (annotations: Record<string, string | null>) =>
    server.patch(`${podsPath}/web/status`, { metadata: { annotations } }, { user });
  expect((await write({ [terminations]: "[]" })).status).toBe(200);
  for (const annotations of [
    { "kintsugi.dev/avoid-nodes": "node-2,node-3" },
    { "kintsugi.dev/avoid-nodes": null },
    { "kintsugi.dev/restartedAt": "now" },
    { "kubectl.kubernetes.io/last-applied-configuration": "{}" },
  ]) {
    const refused = await write(annotations);
    expect(refused.status).toBe(403);
    expect(refused.json.message).toContain("is reserved: only users and controllers may");
  }
  expect((await server.get(`${podsPath}/web`)).json.metadata.annotations).toEqual({
    "kintsugi.dev/avoid-nodes": "node-9",
    [terminations]: "[]",
  });
});
