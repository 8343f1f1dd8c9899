import { pods } from "@kintsugi/api";
import { expect, test } from "vitest";
import { doing } from "../../testing/builders.ts";
import { withNode } from "../../testing/test-node.ts";

const second = 1000;

test("a restart of the kubelet neither restarts its pods nor writes their statuses", () =>
  withNode(async (node) => {
    await node.createPod("web", doing("run", {}, { readinessProbe: { tcpSocket: { port: 80 } } }));
    await node.createPod("crash", doing("exit:1-after-1s"));
    await node.createPod("image", doing("pull-error:unknown"));
    await node.clock.advance(90 * second);
    const revisions = async () =>
      Promise.all(["web", "crash", "image"].map(async (name) => (await node.pod(name)).metadata.resourceVersion));
    const before = await revisions();
    const calls = node.runtime.callsOf("createContainer").length;
    await node.stop();
    await node.start();
    await node.clock.advance(second);
    expect(await revisions()).toEqual(before);
    expect(node.runtime.callsOf("createContainer").length).toBe(calls);
    expect(await node.events()).not.toContain(expect.stringMatching(/^Killing/));
  }));

test("a pod that was force-deleted while the kubelet was down is removed when it returns", () =>
  withNode(async (node) => {
    await node.createPod("gone", doing("run"));
    await node.createPod("stays", doing("run"));
    await node.clock.advance(2 * second);
    await node.stop();
    await node.client.delete(pods, { namespace: "default", name: "gone" });
    await node.start();
    await node.clock.advance(6 * second);
    expect(await node.running()).toEqual(["stays/c#0"]);
    expect((await node.runtime.listPodSandboxes()).length).toBe(1);
  }));

test("a pod that ended and was deleted while the kubelet was down is removed from the API", () =>
  withNode(async (node) => {
    await node.createPod("done", doing("exit:0-after-1s", { restartPolicy: "Never" }));
    await node.clock.advance(3 * second);
    await node.stop();
    await node.deletePod("done", 0);
    await node.start();
    await node.clock.advance(second);
    expect(await node.findPod("done")).toBeUndefined();
  }));

test("a pod that was created and deleted while the kubelet was down is removed from the API", () =>
  withNode(async (node) => {
    await node.stop();
    await node.createPod("p", doing("run"));
    await node.deletePod("p", 30);
    await node.start();
    await node.clock.advance(second);
    expect(await node.findPod("p")).toBeUndefined();
    expect(node.runtime.callsOf("startContainer")).toEqual([]);
  }));
