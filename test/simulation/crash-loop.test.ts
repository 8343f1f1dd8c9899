import { pods } from "@kintsugi/api";
import { aPod } from "@kintsugi/simulation";
import { expect, test } from "vitest";
import { startVirtualCluster, type VirtualCluster } from "@kintsugi/simulator/factory";

const second = 1000;
const minute = 60 * second;
test("crashes are followed by restarts after 0, 10, 20, 40, 80, 160, 300, 300 s, to the millisecond, in profile kubernetes", async () => {
  await using cluster = await startVirtualCluster({ nodes: 1, profile: "kubernetes" });
  await cluster.client.create(pods, aPod("crash"));
  await cluster.advance(second);
  const delays: number[] = [];
  for (let crash = 0; crash < 8; crash++) delays.push((await crashAndWait(cluster, 6 * minute)) / second);
  expect(delays).toEqual([0, 10, 20, 40, 80, 160, 300, 300]);
  const pod = await cluster.client.get(pods, { namespace: "default", name: "crash" });
  expect(pod.status?.containerStatuses?.[0]).toMatchObject({ restartCount: 8, ready: true });
});

test("a container that ran for more than 10 min resets its back-off, and a container that ran for less does not", async () => {
  await using cluster = await startVirtualCluster({ nodes: 1, profile: "kubernetes" });
  await cluster.client.create(pods, aPod("crash"));
  await cluster.advance(second);
  for (let crash = 0; crash < 4; crash++) await crashAndWait(cluster, minute);
  await cluster.advance(10 * minute - second);
  expect(await crashAndWait(cluster, 6 * minute)).toBe(80 * second);
  await cluster.advance(10 * minute + 1);
  expect(await crashAndWait(cluster, 6 * minute)).toBe(0);
  expect(await crashAndWait(cluster, 6 * minute)).toBe(10 * second);
});

test("during the back-off the pod reports CrashLoopBackOff and the delay", async () => {
  await using cluster = await startVirtualCluster({ nodes: 1, profile: "kubernetes" });
  const { metadata } = await cluster.client.create(pods, aPod("crash"));
  await cluster.advance(second);
  for (let crash = 0; crash < 3; crash++) await crashAndWait(cluster, minute);
  await exit(cluster);
  await cluster.advance(20 * second);
  const pod = await cluster.client.get(pods, { namespace: "default", name: "crash" });
  expect(pod.status?.containerStatuses?.[0]).toMatchObject({
    ready: false,
    restartCount: 3,
    lastState: { terminated: { exitCode: 1, reason: "Error" } },
    state: {
      waiting: {
        reason: "CrashLoopBackOff",
        message: `back-off 40s restarting failed container=main pod=crash_default(${metadata.uid})`,
      },
    },
  });
});

/** Lets the only container exit, and returns how long it was down. */
async function crashAndWait(cluster: VirtualCluster, waitMaxMs: number): Promise<number> {
  const before = await exit(cluster);
  const crashedMs = cluster.clock.nowMs();
  while (cluster.clock.nowMs() - crashedMs <= waitMaxMs) {
    await cluster.clock.settle();
    const [started] = await runningContainers(cluster);
    if (started !== undefined && started.id !== before) return started.startedAtMs - crashedMs;
    await cluster.advance(second);
  }
  throw new Error(`not restarted within ${waitMaxMs} ms`);
}

async function exit(cluster: VirtualCluster): Promise<string> {
  const [running] = await runningContainers(cluster);
  if (running === undefined) throw new Error("nothing is running");
  cluster.node("node-1").runtime.exitContainer(running.id, { exitCode: 1 });
  return running.id;
}

async function runningContainers(cluster: VirtualCluster) {
  const { runtime } = cluster.node("node-1");
  const running = await runtime.listContainers({ state: "running" });
  return Promise.all(running.map(({ id }) => runtime.containerStatus(id)));
}
