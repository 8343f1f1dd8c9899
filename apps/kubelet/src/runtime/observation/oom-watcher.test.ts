import { expect, test } from "vitest";
import { TestNode } from "../../testing/test-node.ts";

const second = 1000;

/** A node with one pod that runs, and the id of its container. */
async function startOne(node: TestNode): Promise<string> {
  await node.start();
  const resources = { limits: { memory: "64Mi" } };
  await node.createPod("web", {
    containers: [{ name: "c", image: "busybox:1.36", command: ["sleep", "3600"], resources }],
  });
  await node.clock.advance(5 * second);
  const [container] = await node.runtime.listContainers({ state: "running" });
  expect.assert(container);
  return container.id;
}

const kills = async (node: TestNode) => (await node.events()).filter((event) => event.startsWith("OOMKilling"));

test("a killed process in a surviving container is reported in an event", async () => {
  await using node = new TestNode();
  const id = await startOne(node);
  node.runtime.oomKillProcess(id);
  node.runtime.oomKillProcess(id);
  await node.clock.advance(5 * second);
  expect(await kills(node)).toEqual([
    "OOMKilling: Memory of container c (limit 64Mi) ran out: a process in it was killed, and the container continues without that process",
  ]);
  expect((await node.pod("web")).status?.containerStatuses?.[0]).toMatchObject({ ready: true, restartCount: 0 });
});

test("a container that is killed itself is reported only in its termination reason", async () => {
  await using node = new TestNode();
  const id = await startOne(node);
  node.runtime.oomKillContainer(id);
  await node.clock.advance(5 * second);
  expect(await kills(node)).toEqual([]);
  const [status] = (await node.pod("web")).status?.containerStatuses ?? [];
  expect(status?.lastState?.terminated).toMatchObject({ reason: "OOMKilled", exitCode: 137 });
});

test("a container whose OOM kill the runtime has missed keeps reporting it", async () => {
  await using node = new TestNode();
  const id = await startOne(node);
  const lastReason = async () => (await node.pod("web")).status?.containerStatuses?.[0]?.lastState?.terminated?.reason;
  node.kernelLog.sayOomKill(id);
  node.runtime.exitContainer(id, { exitCode: 137 });
  await node.clock.advance(5 * second);
  expect(await lastReason()).toBe("OOMKilled");
  await node.restart();
  await node.clock.advance(5 * second);
  expect(await lastReason()).toBe("OOMKilled");
});

test("a container that is killed for another reason is not reported as out of memory", async () => {
  await using node = new TestNode();
  const id = await startOne(node);
  node.kernelLog.sayOomKill("b".repeat(64));
  node.runtime.exitContainer(id, { exitCode: 137 });
  await node.clock.advance(5 * second);
  const [status] = (await node.pod("web")).status?.containerStatuses ?? [];
  expect(status?.lastState?.terminated).toMatchObject({ reason: "Error", exitCode: 137 });
});

test("if the kernel supports it, a container is killed as a whole", async () => {
  await using node = new TestNode();
  await startOne(node);
  const [call] = node.runtime.callsOf("createContainer");
  expect(call?.args[0]).toMatchObject({ config: { linux: { resources: { unified: { "memory.oom.group": "1" } } } } });
});
