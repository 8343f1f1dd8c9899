import { describe, expect, test } from "vitest";
import { aNode, aPod, openWorld } from "./planted-world.ts";

const second = 1000;
const minute = 60 * second;

/** The pod of name "a" on n1, with its container running as attempt 0. */
async function aWorldWithPod(traits: Parameters<typeof aPod>[1] = {}) {
  const world = openWorld();
  await world.putNode(aNode("n1"));
  await world.putPod(aPod("a", { nodeName: "n1", ...traits }));
  world.happens("created", { id: "c0", pod: "a" });
  world.happens("started", { id: "c0", pod: "a" });
  return world;
}

describe("containers-run-once and orphaned-containers-are-removed: a running container runs once, and for a pod", () => {
  test("a second container of one name is started while the first runs", async () => {
    const world = await aWorldWithPod();
    world.happens("stopped", { id: "c0", pod: "a" });
    world.happens("started", { id: "c1", pod: "a", attempt: 1 });
    expect(world.invariants.violation).toBeUndefined();
    world.happens("started", { id: "c2", pod: "a", attempt: 2 });
    expect(world.found()).toEqual([
      "containers-run-once",
      "default/a/main#2 was started on n1 while default/a/main#1 runs",
    ]);
  });

  test("a container remains long after its pod's removal, unless a fault is active", async () => {
    const world = await aWorldWithPod();
    const settle = world.quietPeriod.disturb();
    world.happens("stopped", { id: "c0", pod: "a" });
    await world.removePod(aPod("a", { nodeName: "n1" }));
    await world.live(5 * minute);
    settle();
    await world.live(50 * second);
    expect(world.invariants.violation).toBeUndefined();
    await world.live(15 * second);
    expect(world.found()).toEqual([
      "orphaned-containers-are-removed",
      "default/a/main#0 remains on n1 without its pod",
    ]);
  });

  test("no violation occurs if the container is removed in time, or its node is lost permanently", async () => {
    const tidy = await aWorldWithPod();
    tidy.happens("stopped", { id: "c0", pod: "a" });
    await tidy.removePod(aPod("a", { nodeName: "n1" }));
    tidy.happens("deleted", { id: "c0", pod: "a" });
    await tidy.live(5 * minute);
    expect(tidy.invariants.violation).toBeUndefined();
    const lost = await aWorldWithPod();
    lost.quietPeriod.lose("n1");
    await lost.putNode(aNode("n1", { ready: "Unknown" }));
    lost.happens("stopped", { id: "c0", pod: "a" });
    await lost.removePod(aPod("a", { nodeName: "n1" }));
    await lost.live(5 * minute);
    expect(lost.invariants.violation).toBeUndefined();
  });
});

describe("running-containers-are-kept: a container that has to run is not stopped", () => {
  test("a container is stopped although its pod remains", async () => {
    const world = await aWorldWithPod();
    world.happens("stopping", { id: "c0", pod: "a" });
    expect(world.found()).toEqual([
      "running-containers-are-kept",
      "default/a/main#0 was stopped on n1, where it has to run",
    ]);
  });

  test.each([
    ["its pod is being deleted", { metadata: { deletionTimestamp: "2026-01-01T00:00:30Z" } }, true],
    ["its pod has failed", { phase: "Failed" as const }, true],
    ["its sandbox has ended", {}, false],
    ["it has a liveness probe", { spec: { containers: [{ name: "main", livenessProbe: {} }] } }, true],
  ])("unless %s", async (_, traits, sandboxReady) => {
    const world = await aWorldWithPod(traits);
    world.happens("stopping", { id: "c0", pod: "a", sandboxReady });
    expect(world.invariants.violation).toBeUndefined();
    expect(world.invariants.checksByName["running-containers-are-kept"]).toBe(1);
  });
});

describe("ended-containers-stay-ended and containers-end-before-their-pod: the end of containers and pods", () => {
  test("a container of a pod that must never run again runs again", async () => {
    const world = await aWorldWithPod({ spec: { restartPolicy: "Never" } });
    world.happens("stopped", { id: "c0", pod: "a" });
    world.happens("started", { id: "c1", pod: "a", attempt: 1 });
    expect(world.found()).toEqual(["ended-containers-stay-ended", "default/a/main#1 was started again"]);
  });

  test("a pod no longer exists while its container runs, unless it was force-deleted", async () => {
    const path = "/api/v1/namespaces/default/pods/a";
    const gone = (world: Awaited<ReturnType<typeof aWorldWithPod>>) => world.removePod(aPod("a", { nodeName: "n1" }));
    const byNode = await aWorldWithPod();
    const body = { gracePeriodSeconds: 0 };
    await byNode.granted({ method: "DELETE", path, user: "system:node:n1", body }, () => gone(byNode));
    expect(byNode.found()).toEqual([
      "containers-end-before-their-pod",
      "pod default/a is removed, but default/a/main#0 still runs on n1",
    ]);
    const forced = await aWorldWithPod();
    await forced.granted({ method: "DELETE", path, user: "admin", body }, () => gone(forced));
    expect(forced.invariants.violation).toBeUndefined();
    const ended = await aWorldWithPod();
    ended.happens("stopped", { id: "c0", pod: "a" });
    await gone(ended);
    expect(ended.invariants.violation).toBeUndefined();
  });
});

describe("restarts-follow-back-off: back-off, with the profile fast: 0, 1, 2, 4 … 10 s, again after 20 s", () => {
  async function crashAndReturn(world: ReturnType<typeof openWorld>, attempt: number, afterMs: number, upMs = second) {
    await world.clock.advance(upMs);
    world.happens("stopped", { id: `c${attempt}`, pod: "a" });
    await world.clock.advance(afterMs);
    world.happens("created", { id: `c${attempt + 1}`, pod: "a", attempt: attempt + 1 });
    world.happens("started", { id: `c${attempt + 1}`, pod: "a", attempt: attempt + 1 });
  }

  test("requires nothing after an instance that was created but never started: a failed start doubles the delay", async () => {
    const world = await aWorldWithPod();
    for (const [attempt, waitMs] of [0, 1000, 2000].entries()) await crashAndReturn(world, attempt, waitMs);
    world.happens("stopped", { id: "c3", pod: "a" });
    await world.clock.advance(4000);
    world.happens("created", { id: "c4", pod: "a", attempt: 4 });
    await world.clock.advance(8000);
    world.happens("created", { id: "c5", pod: "a", attempt: 5 });
    world.happens("started", { id: "c5", pod: "a", attempt: 5 });
    await crashAndReturn(world, 5, 10_000);
    expect(world.invariants.violation).toBeUndefined();
    await crashAndReturn(world, 6, 0, 21 * second);
    await crashAndReturn(world, 7, 999);
    expect(world.found()).toEqual([
      "restarts-follow-back-off",
      "default/a/main#8 was restarted after 999 ms, but its back-off is at least 1000 ms",
    ]);
  });

  test("requires nothing after a first instance that never started", async () => {
    const world = openWorld();
    await world.putNode(aNode("n1"));
    await world.putPod(aPod("a", { nodeName: "n1" }));
    world.happens("created", { id: "c0", pod: "a" });
    world.happens("created", { id: "c1", pod: "a", attempt: 1 });
    world.happens("started", { id: "c1", pod: "a", attempt: 1 });
    await crashAndReturn(world, 1, 10_000);
    expect(world.invariants.violation).toBeUndefined();
  });

  test("accepts an exact restart and reports a restart that is a millisecond early", async () => {
    const world = await aWorldWithPod();
    for (const [attempt, waitMs] of [0, 1000, 2000, 4000, 8000, 10_000].entries())
      await crashAndReturn(world, attempt, waitMs);
    await crashAndReturn(world, 6, 0, 21 * second);
    expect(world.invariants.violation).toBeUndefined();
    await crashAndReturn(world, 7, 999);
    expect(world.found()).toEqual([
      "restarts-follow-back-off",
      "default/a/main#8 was restarted after 999 ms, but its back-off is at least 1000 ms",
    ]);
  });

  test("reports a late restart only if no fault was active in the meantime", async () => {
    const world = await aWorldWithPod();
    const settle = world.quietPeriod.disturb();
    await crashAndReturn(world, 0, 10 * second);
    settle();
    expect(world.invariants.violation).toBeUndefined();
    await world.clock.advance(minute);
    await crashAndReturn(world, 1, 3001, 0);
    expect(world.found()[1]).toBe("default/a/main#2 was down for 3001 ms, but its back-off is at most 0 ms");
  });

  test("requires an immediate restart after the end of the sandbox, with the earlier back-off", async () => {
    const world = await aWorldWithPod();
    await crashAndReturn(world, 0, 0);
    await crashAndReturn(world, 1, 1000);
    world.happens("stopping", { id: "c2", pod: "a", sandboxReady: false });
    await crashAndReturn(world, 2, 0);
    expect(world.invariants.violation).toBeUndefined();
    await crashAndReturn(world, 3, 1999);
    expect(world.found()).toEqual([
      "restarts-follow-back-off",
      "default/a/main#4 was restarted after 1999 ms, but its back-off is at least 2000 ms",
    ]);
  });

  test("accepts the delay of a failure if the sandbox ended and the next instance could not be created immediately", async () => {
    const counted = async (afterMs: number) => {
      const world = await aWorldWithPod();
      await crashAndReturn(world, 0, 0);
      await crashAndReturn(world, 1, 1000);
      world.happens("stopping", { id: "c2", pod: "a", sandboxReady: false });
      const settle = world.quietPeriod.disturb();
      await crashAndReturn(world, 2, afterMs);
      settle();
      await world.clock.advance(10 * second);
      return world;
    };
    for (const waitMs of [2000, 4000]) {
      const world = await counted(3000);
      await crashAndReturn(world, 3, waitMs, 0);
      expect(world.invariants.violation).toBeUndefined();
    }
    const late = await counted(3000);
    await crashAndReturn(late, 3, 6001, 0);
    expect(late.found()).toEqual([
      "restarts-follow-back-off",
      "default/a/main#4 was down for 6001 ms, but its back-off is at most 4000 ms",
    ]);
    const atOnce = await counted(1000);
    await crashAndReturn(atOnce, 3, 4001, 0);
    expect(atOnce.found()).toEqual([
      "restarts-follow-back-off",
      "default/a/main#4 was down for 4001 ms, but its back-off is at most 2000 ms",
    ]);
  });

  test("is not checked for a container whose node's clock has jumped or runs fast, until it starts again", async () => {
    const world = await aWorldWithPod();
    await crashAndReturn(world, 0, 0);
    world.machineClock.setRate(1.25);
    await crashAndReturn(world, 1, 800);
    world.machineClock.setRate(1);
    world.machineClock.jumpWallTime(3_600_000);
    await crashAndReturn(world, 2, 1600);
    await crashAndReturn(world, 3, 3200);
    expect(world.invariants.violation).toBeUndefined();
    await crashAndReturn(world, 4, 0, 21 * second);
    await crashAndReturn(world, 5, 999);
    expect(world.found()).toEqual([
      "restarts-follow-back-off",
      "default/a/main#6 was restarted after 999 ms, but its back-off is at least 1000 ms",
    ]);
  });
});
