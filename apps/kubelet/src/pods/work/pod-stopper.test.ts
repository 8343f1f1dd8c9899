import type { Container } from "@kintsugi/api";
import { expect, test } from "vitest";
import { scripted, doing } from "../../testing/builders.ts";
import { type TestNode, withNode } from "../../testing/test-node.ts";

const second = 1000;

const sidecar = (name: string, what: string, more: Partial<Container> = {}): Container =>
  scripted(name, what, { restartPolicy: "Always", ...more });

/**
 * Deletes the pod, and returns for each container its grace period and the time, in seconds, of its
 * signal.
 */
async function stopped(node: TestNode, graceSeconds: number): Promise<string[]> {
  const containers = await node.runtime.listContainers();
  const startedMs = node.clock.nowMs();
  await node.deletePod("p", graceSeconds);
  await node.clock.advance((graceSeconds + 5) * second);
  expect(await node.findPod("p")).toBeUndefined();
  return node.runtime.callsOf("stopContainer").map(({ args, atMs }) => {
    const name = containers.find(({ id }) => id === args[0])?.metadata.name;
    return `${name} at ${Math.floor((atMs - startedMs) / 1000)} gets ${String(args[1])}`;
  });
}

test("sidecars end last in reverse order, and all containers share one grace period", () =>
  withNode(async (node) => {
    await node.createPod("p", {
      initContainers: [sidecar("log", "run"), sidecar("net", "run")],
      containers: [scripted("a", "run"), scripted("b", "run", { lifecycle: { preStop: { sleep: { seconds: 5 } } } })],
    });
    await node.clock.advance(3 * second);
    expect(await stopped(node, 30)).toEqual([
      "a at 0 gets 30",
      "b at 5 gets 25",
      "net at 5 gets 25",
      "log at 5 gets 25",
    ]);
  }));

test.each([3, 1])("a preStop hook that outlives a grace period of %i s leaves two seconds to the container", (grace) =>
  withNode(async (node) => {
    await node.createPod("p", {
      containers: [scripted("a", "run", { lifecycle: { preStop: { sleep: { seconds: 60 } } } })],
    });
    await node.clock.advance(3 * second);
    expect(await stopped(node, grace)).toEqual([`a at ${grace} gets 2`]);
  }),
);

test("a sidecar's preStop hook runs while its pod stops, and a sidecar whose turn is too late ends with the grace period", () =>
  withNode(async (node) => {
    await node.createPod("p", {
      initContainers: [sidecar("log", "run", { lifecycle: { preStop: { sleep: { seconds: 8 } } } })],
      containers: [scripted("a", "stubborn")],
      terminationGracePeriodSeconds: 10,
    });
    await node.clock.advance(3 * second);
    expect(await stopped(node, 10)).toEqual(["a at 0 gets 10", "log at 10 gets 2"]);
  }));

test("a deleted pod gets its grace period, is stopped, and is removed completely", () =>
  withNode(async (node) => {
    await node.createPod("p", doing("stubborn"));
    await node.clock.advance(2 * second);
    await node.deletePod("p", 30);
    await node.clock.advance(29 * second);
    expect(await node.running()).toEqual(["p/c#0"]);
    await node.clock.advance(2 * second);
    expect(await node.findPod("p")).toBeUndefined();
    expect(await node.runtime.listContainers()).toEqual([]);
    expect(await node.runtime.listPodSandboxes()).toEqual([]);
    expect(
      [...node.files.entries().keys()].filter((path) => path.includes("p_") || path.startsWith("/kubelet/pods/")),
    ).toEqual([]);
    expect(await node.events()).toContain("Killing: Stopping container c");
  }));

test("a shorter grace period during a pod's stop ends it earlier", () =>
  withNode(async (node) => {
    await node.createPod("p", doing("stubborn"));
    await node.clock.advance(2 * second);
    await node.deletePod("p", 600);
    await node.clock.advance(5 * second);
    await node.deletePod("p", 2);
    await node.clock.advance(3 * second);
    expect(await node.findPod("p")).toBeUndefined();
  }));

test("a pod that is deleted before it could start is deleted immediately", () =>
  withNode(async (node) => {
    await node.createPod("p", doing("pull-error:unknown"));
    await node.clock.advance(2 * second);
    await node.deletePod("p", 30);
    await node.clock.advance(second);
    expect(await node.findPod("p")).toBeUndefined();
    expect(await node.runtime.listPodSandboxes()).toEqual([]);
  }));
