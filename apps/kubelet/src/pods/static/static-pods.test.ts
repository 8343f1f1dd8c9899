import { isMirrorPod, pods } from "@kintsugi/api";
import { expect, test } from "vitest";
import { TestNode, withNode } from "../../testing/test-node.ts";

// Pods that come from files on the node, and their mirrors in the API.

const second = 1000;
const path = "/manifests/web.yaml";

function manifest(image = "run", extra = ""): string {
  return `apiVersion: v1
kind: Pod
metadata: {name: web, labels: {app: web}}
spec:
  terminationGracePeriodSeconds: 2
  containers:
  - name: c
    image: script.kintsugi.dev/${image}
${extra}`;
}

const mirror = (node: TestNode) => node.findPod("web-node-1");
const uidsInRuntime = async (node: TestNode) =>
  (await node.runtime.listPodSandboxes({ ready: true })).map(({ metadata }) => metadata.uid);

test("a manifest runs as a pod, and the API shows it through its mirror", () =>
  withNode(async (node) => {
    node.manifests.write(path, manifest());
    await node.clock.advance(3 * second);
    expect(await node.running()).toEqual(["web-node-1/c#0"]);
    const shown = await mirror(node);
    const hash = shown?.metadata.annotations?.["kubernetes.io/config.hash"];
    expect(shown?.metadata).toMatchObject({
      labels: { app: "web" },
      annotations: { "kubernetes.io/config.mirror": hash, "kubernetes.io/config.source": "file" },
      ownerReferences: [{ apiVersion: "v1", kind: "Node", name: "node-1", controller: true }],
    });
    expect(await uidsInRuntime(node)).toEqual([hash]);
    expect(shown?.metadata.uid).not.toBe(hash);
    expect(shown?.status).toMatchObject({ phase: "Running", containerStatuses: [{ ready: true, restartCount: 0 }] });
  }));

test("a deleted mirror is created again, and the pod does not restart", () =>
  withNode(async (node) => {
    node.manifests.write(path, manifest());
    await node.clock.advance(3 * second);
    const before = await mirror(node);
    await node.deletePod("web-node-1", 30);
    await node.clock.advance(second);
    const after = await mirror(node);
    expect(after?.metadata.uid).not.toBe(before?.metadata.uid);
    expect(after?.metadata.deletionTimestamp).toBeUndefined();
    expect(after?.status).toEqual(before?.status);
    await node.client.delete(pods, { namespace: "default", name: "web-node-1" }, { gracePeriodSeconds: 0 });
    await node.clock.advance(second);
    expect((await mirror(node))?.status).toEqual(before?.status);
    expect(await node.running()).toEqual(["web-node-1/c#0"]);
    expect((await node.events()).filter((event) => event.startsWith("Killing"))).toEqual([]);
  }));

test("a changed manifest is a new pod, which starts when the old pod no longer exists", () =>
  withNode(async (node) => {
    node.manifests.write(path, manifest("stubborn"));
    await node.clock.advance(3 * second);
    const [before] = await uidsInRuntime(node);
    node.manifests.write(path, manifest("run"));
    await node.clock.advance(second);
    expect(await uidsInRuntime(node)).toEqual([before]);
    await node.clock.advance(5 * second);
    const [after] = await uidsInRuntime(node);
    expect(after).not.toBe(before);
    expect((await mirror(node))?.metadata.annotations?.["kubernetes.io/config.mirror"]).toBe(after);
    expect(await node.running()).toEqual(["web-node-1/c#0"]);
  }));

test("a removed file stops its pod and then removes its mirror, and a restored file starts the same pod again", () =>
  withNode(async (node) => {
    node.manifests.write(path, manifest("stubborn"));
    await node.clock.advance(3 * second);
    node.manifests.remove(path);
    await node.clock.advance(second);
    expect(await mirror(node)).toBeDefined();
    node.manifests.write(path, manifest("stubborn"));
    await node.clock.advance(5 * second);
    expect(await node.running()).toEqual(["web-node-1/c#0"]);
    node.manifests.remove(path);
    await node.clock.advance(5 * second);
    expect(await mirror(node)).toBeUndefined();
    expect(await node.runtime.listPodSandboxes()).toEqual([]);
  }));

test("a broken file leaves its pod unchanged with an event, and an invalid new file does not affect any pod", () =>
  withNode(async (node) => {
    node.manifests.write(path, manifest());
    await node.clock.advance(3 * second);
    node.manifests.write(path, manifest().slice(0, 40));
    node.manifests.write("/manifests/bad.yaml", "kind: Secret\napiVersion: v1\n");
    await node.clock.advance(30 * second);
    expect(await node.running()).toEqual(["web-node-1/c#0"]);
    const told = (await node.events()).filter((event) => event.startsWith("InvalidStaticPod"));
    expect(told).toHaveLength(2);
    expect(told[1]).toContain('/manifests/bad.yaml: it is not a Pod of v1: apiVersion "v1", kind "Secret"');
  }));

test("static pods start, restart and end without an API, which receives their status when it returns", async () => {
  await using node = new TestNode();
  node.api.isDown = true;
  node.manifests.write(path, manifest("exit:1-after-30s"));
  await node.start();
  await node.clock.advance(40 * second);
  expect(await node.running()).toEqual(["web-node-1/c#1"]);
  node.api.isDown = false;
  await node.clock.advance(20 * second);
  expect((await mirror(node))?.status).toMatchObject({ containerStatuses: [{ restartCount: 1 }] });
});

test("a restart of the kubelet does not restart or write a pod, and detects files that were removed in the meantime", () =>
  withNode(async (node) => {
    const probe = "    readinessProbe: {tcpSocket: {port: 80}}";
    node.manifests.write(path, manifest("run", probe));
    node.manifests.write("/manifests/other.yaml", manifest().replace("name: web", "name: other"));
    await node.clock.advance(20 * second);
    const before = await mirror(node);
    expect(before?.status?.containerStatuses?.[0]?.ready).toBe(true);
    await node.stop();
    node.manifests.remove("/manifests/other.yaml");
    await node.start();
    await node.clock.advance(9 * second);
    expect(await mirror(node)).toEqual(before);
    expect(await node.running()).toEqual(["web-node-1/c#0"]);
    expect(await node.findPod("other-node-1")).toBeUndefined();
  }));

test("a manual pod with a static pod's name is not changed, and the static pod runs without a mirror", () =>
  withNode(async (node) => {
    await node.createPod("web-node-1", { containers: [{ name: "c", image: "script.kintsugi.dev/run" }] });
    node.manifests.write(path, manifest());
    await node.clock.advance(5 * second);
    const stored = await mirror(node);
    expect(stored && isMirrorPod(stored)).toBe(false);
    expect(await node.running()).toEqual(["web-node-1/c#0", "web-node-1/c#0"]);
    await node.deletePod("web-node-1", 1);
    await node.clock.advance(15 * second);
    const after = await mirror(node);
    expect(after && isMirrorPod(after)).toBe(true);
    expect(await node.running()).toEqual(["web-node-1/c#0"]);
  }));
