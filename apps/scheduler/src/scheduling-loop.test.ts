import { silentLogger, silentMetrics } from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import { systemClock } from "@kintsugi/clock";
import { SeededRandom, VirtualClock } from "@kintsugi/clock/simulated";
import { podInfoOf, type Plugin } from "@kintsugi/scheduling";
import { aCluster, aNode, aPod } from "@kintsugi/scheduling/testing";
import { expect, test } from "vitest";
import { SchedulingQueue } from "./queue/scheduling-queue.ts";
import { SchedulerMetrics } from "./scheduler-metrics.ts";
import { SchedulingLoop } from "./scheduling-loop.ts";

/**
 * Runs a loop with decisions of this duration.
 * @returns the decisions of each turn of the event loop.
 */
async function turnsOf(pods: readonly (readonly [namespace: string, name: string])[], decisionMs: number) {
  const clock = new VirtualClock();
  let workedMs = 0;
  const turns: string[][] = [[]];
  const working = {
    after: clock.after.bind(clock),
    sleep: clock.sleep.bind(clock),
    nowMs: () => clock.nowMs(),
    monotonicMs: () => clock.monotonicMs() + workedMs,
    nextTurn: () => {
      turns.push([]);
      return systemClock.nextTurn();
    },
  };
  const decided = new Set<string>();
  const slow: Plugin = {
    name: "Slow",
    filter: (pod) => {
      // The plan of a preemption calls this function again.
      if (!decided.has(pod.key)) {
        workedMs += decisionMs;
        turns.at(-1)?.push(pod.key);
        decided.add(pod.key);
      }
      return { because: "it is slow" };
    },
  };
  const metrics = new SchedulerMetrics(silentMetrics, "default-scheduler");
  const queue = new SchedulingQueue({ clock: working, plugins: [slow] });
  for (const [namespace, name] of pods) queue.put(podInfoOf(aPod(name, { namespace, uid: `${namespace}/${name}` })));
  const loop = new SchedulingLoop({
    client: { patch: () => Promise.resolve({}) } as unknown as Client,
    clock: working,
    random: new SeededRandom(1),
    log: silentLogger,
    metrics,
    events: { record: () => {}, run: () => Promise.resolve() },
    state: aCluster([aNode("a")]),
    queue,
    plugins: [slow],
    budgets: () => [],
  });
  const stop = new AbortController();
  const running = loop.run(stop.signal);
  while (turns.flat().length < pods.length) await systemClock.nextTurn();
  stop.abort(new Error("the test is over"));
  await running;
  queue.stop();
  return turns.filter((turn) => turn.length > 0);
}

const many = (namespace: string, count: number) =>
  Array.from({ length: count }, (_, index) => [namespace, `${index}`] as const);

test("other work runs after 16 quick decisions, or after 50 ms of slow decisions", async () => {
  const lengths = async (decisionMs: number) => (await turnsOf(many("a", 32), decisionMs)).map((turn) => turn.length);
  expect(await lengths(0)).toEqual([16, 16]);
  expect((await lengths(20))[0]).toBe(3);
  expect(await lengths(250)).toEqual(Array(32).fill(1));
});

test("a namespace whose decisions are slow yields to later pods", async () => {
  const pods = [...many("costly", 10), ["other", "web"] as const];
  expect((await turnsOf(pods, 250)).flat().indexOf("other/web")).toBe(1);
  expect((await turnsOf(pods, 1)).flat().indexOf("other/web")).toBe(10);
});
