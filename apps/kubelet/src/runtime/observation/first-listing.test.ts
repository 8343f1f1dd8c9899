import { silentLogger, silentMetrics } from "@kintsugi/api";
import { SeededRandom, VirtualClock } from "@kintsugi/clock/simulated";
import { aContainerConfig, aSandboxConfig, createFakeRuntime, type FakeRuntime } from "@kintsugi/cri/simulated";
import { expect, test } from "vitest";
import { labelNames } from "../../model/labels.ts";
import { TestNode } from "../../testing/test-node.ts";
import { Pleg } from "./pleg.ts";

const second = 1000;
const minute = 60 * second;

async function runPod(
  runtime: FakeRuntime,
  name: string,
): Promise<{ uid: string; start: (name: string) => Promise<string> }> {
  const uid = `uid-of-${name}`;
  const labels = { [labelNames.podUid]: uid, [labelNames.podName]: name, [labelNames.podNamespace]: "default" };
  const sandboxConfig = aSandboxConfig(name, { labels });
  const sandboxId = await runtime.runPodSandbox(sandboxConfig);
  const start = async (container: string) => {
    const config = aContainerConfig(container, "sleep 3600", { labels });
    const id = await runtime.createContainer({ sandboxId, config, sandboxConfig });
    await runtime.startContainer(id);
    return id;
  };
  return { uid, start };
}

/** A generator that has just started, with a runtime that already has pods. */
async function withListed(
  run: (parts: {
    pleg: Pleg;
    clock: VirtualClock;
    runtime: FakeRuntime;
    pods: Awaited<ReturnType<typeof runPod>>[];
  }) => Promise<void>,
): Promise<void> {
  const clock = new VirtualClock();
  const runtime = createFakeRuntime({ clock, random: new SeededRandom(1) });
  const pods = [await runPod(runtime, "a"), await runPod(runtime, "b")];
  for (const { start } of pods) await start("c");
  const options = { relistIntervalMs: second, relistIntervalWithEventsMs: minute, relistThresholdMs: 3 * minute };
  const pleg = new Pleg({ runtime, clock, log: silentLogger, metrics: silentMetrics }, options);
  const stop = new AbortController();
  const ended = pleg.run(stop.signal);
  await clock.advance(second);
  await run({ pleg, clock, runtime, pods });
  stop.abort();
  await clock.advance(second);
  await ended;
}

test("the listed state of a pod is handed out once, with the sandbox of each container", () =>
  withListed(async ({ pleg, runtime, pods }) => {
    const [sandbox] = await runtime.listPodSandboxes({ labels: { [labelNames.podUid]: pods[0]?.uid ?? "" } });
    const { sandboxes, containers } = pleg.takeListed(pods[0]?.uid ?? "") ?? {};
    expect(sandboxes).toMatchObject([{ id: sandbox?.id }]);
    expect(containers).toMatchObject([{ sandboxId: sandbox?.id }]);
    expect(pleg.takeListed(pods[0]?.uid ?? "")).toBeUndefined();
    expect(pleg.takeListed("of-none-that-is-there")).toBeUndefined();
    expect(pleg.takeListed(pods[1]?.uid ?? "")).toBeDefined();
  }));

test("an unlisted new container requires a new listing of every pod", () =>
  withListed(async ({ pleg, clock, pods }) => {
    await pods[0]?.start("late");
    await clock.settle();
    for (const { uid } of pods) expect(pleg.takeListed(uid)).toBeUndefined();
  }));

test("an end of a listed container has no effect because its state is read", () =>
  withListed(async ({ pleg, clock, runtime, pods }) => {
    for (const { id } of await runtime.listContainers()) runtime.exitContainer(id, { exitCode: 1 });
    await clock.settle();
    expect(pleg.takeListed(pods[0]?.uid ?? "")?.containers).toHaveLength(1);
  }));

test("no listed pod is returned after the events have stopped, or after the next listing", async () => {
  await withListed(async ({ pleg, clock, runtime, pods }) => {
    runtime.setAvailable(false);
    await clock.settle();
    expect(pleg.takeListed(pods[0]?.uid ?? "")).toBeUndefined();
    runtime.setAvailable(true);
    await clock.advance(minute);
    expect(pleg.takeListed(pods[0]?.uid ?? "")).toBeUndefined();
  });
  await withListed(async ({ pleg, clock, pods }) => {
    await clock.advance(2 * minute);
    expect(pleg.takeListed(pods[0]?.uid ?? "")).toBeUndefined();
  });
});

test("a kubelet that takes over pods does not list each of them, and lists a new pod", async () => {
  const runs = { containers: [{ name: "c", image: "script.kintsugi.dev/run" }] };
  await using node = new TestNode();
  await node.start();
  for (const name of ["a", "b", "c"]) await node.createPod(name, runs);
  await node.clock.advance(5 * second);
  const running = await node.running();
  expect(running).toEqual(["a/c#0", "b/c#0", "c/c#0"]);
  await node.stop();
  const calls = ["listPodSandboxes", "listContainers"] as const;
  const ofOnePod = () =>
    calls.flatMap((name) =>
      node.runtime.callsOf(name).filter(({ args }) => JSON.stringify(args[0]).includes("labels")),
    );
  const before = ofOnePod().length;
  await node.start();
  await node.clock.advance(5 * second);
  expect(await node.running()).toEqual(running);
  expect(ofOnePod().length - before).toBe(0);
  await node.createPod("d", runs);
  await node.clock.advance(second);
  expect(ofOnePod().length - before).toBeGreaterThan(0);
});
