import { isPodReady } from "@kintsugi/api";
import { expect, test } from "vitest";
import { TestNode } from "../../testing/test-node.ts";

const hour = 3_600_000;
const serving = { containers: [{ name: "c", image: "script.kintsugi.dev/run" }] };

test("a container that ends after the wall clock went back is restarted, and so is its next instance", async () => {
  await using node = new TestNode();
  await node.start();
  node.clock.jumpWallTime(hour);
  await node.createPod("p", serving);
  await node.clock.advance(1000);
  node.clock.jumpWallTime(-hour);
  for (const attempt of [1, 2, 3]) {
    for (const { id } of node.runtime.running().containers) node.runtime.exitContainer(id, { exitCode: 1 });
    await node.clock.advance(60_000);
    expect(await node.running()).toEqual([`p/c#${attempt}`]);
  }
});

test("a sandbox that ended after the wall clock went back is replaced, and so is the next sandbox", async () => {
  await using node = new TestNode();
  await node.start();
  node.clock.jumpWallTime(hour);
  await node.createPod("p", serving);
  await node.clock.advance(1000);
  node.clock.jumpWallTime(-hour);
  for (const attempt of [1, 2]) {
    for (const id of node.runtime.running().sandboxes) node.runtime.killSandbox(id);
    await node.clock.advance(90_000);
    const sandboxes = await node.runtime.listPodSandboxes({ ready: true });
    expect(sandboxes.map(({ metadata }) => metadata.attempt)).toEqual([attempt]);
  }
});

test("a container in back-off does not wait until the wall clock reaches the old time again", async () => {
  await using node = new TestNode();
  await node.start();
  await node.createPod("p", serving);
  await node.clock.advance(1000);
  for (let crash = 0; crash < 3; crash++) {
    for (const { id } of node.runtime.running().containers) node.runtime.exitContainer(id, { exitCode: 1 });
    if (crash === 2) node.clock.jumpWallTime(-hour);
    await node.clock.advance(60_000);
  }
  expect(await node.running()).toEqual(["p/c#3"]);
});

test("a container is probed as before after the wall clock went back", async () => {
  await using node = new TestNode();
  await node.start();
  const [container] = serving.containers;
  const readinessProbe = { tcpSocket: { port: 80 }, periodSeconds: 1, failureThreshold: 1 };
  await node.createPod("p", { containers: [{ name: "c", image: "", ...container, readinessProbe }] });
  await node.clock.advance(5000);
  node.clock.jumpWallTime(-hour);
  node.prober.answer(() => ({ kind: "failure", output: "" }));
  await node.clock.advance(5000);
  expect(isPodReady(await node.pod("p"))).toBe(false);
});
