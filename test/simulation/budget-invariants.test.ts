import { describe, expect, test } from "vitest";
import { aNode, aPod, openWorld } from "./planted-world.ts";

// The timers of the profile fast, which respects budgets.

const ready = { type: "Ready", status: "True" as const };
const evicted = { type: "DisruptionTarget", status: "True" as const, reason: "DeletionByTaintManager" };
const traits = { metadata: { labels: { app: "web" } }, nodeName: "n1" };
const second = 1000;

describe("evictions-respect-budgets: a budget that protects two pods", () => {
  async function aWorldWithBudget(pods: readonly string[]) {
    const world = openWorld();
    await world.putNode(aNode("n1"));
    await world.putNode(aNode("n2"));
    const spec = { minAvailable: 2, selector: { matchLabels: { app: "web" } } };
    await world.put("policy/poddisruptionbudgets/default/web", {
      metadata: { namespace: "default", name: "web" },
      spec,
    });
    for (const name of pods) await world.putPod(aPod(name, { ...traits, conditions: [ready] }));
    return world;
  }

  test("one of three pods may be evicted, and of the remaining two pods no pod may be evicted", async () => {
    const world = await aWorldWithBudget(["a", "b", "c"]);
    await world.live(20 * second);
    await world.putPod(aPod("a", { ...traits, conditions: [ready, evicted] }));
    expect(world.invariants.violation).toBeUndefined();
    await world.putPod(aPod("b", { ...traits, conditions: [ready, evicted] }));
    expect(world.found()).toEqual([
      "evictions-respect-budgets",
      "pod default/b was evicted, and 1 pods remain, but budget default/web requires 2",
    ]);
  });

  test("two pods that may be disrupted together may be evicted together, although neither has changed since the budget was created", async () => {
    const world = openWorld();
    for (const name of ["n1", "n2"]) await world.putNode(aNode(name));
    for (const name of ["a", "b", "c"]) await world.putPod(aPod(name, { ...traits, conditions: [ready] }));
    await world.putPod(aPod("d", { ...traits, nodeName: "n2", conditions: [ready] }));
    const spec = { minAvailable: 2, selector: { matchLabels: { app: "web" } } };
    await world.put("policy/poddisruptionbudgets/default/web", {
      metadata: { namespace: "default", name: "web" },
      spec,
    });
    await world.live(20 * second);
    for (const name of ["a", "b"]) await world.putPod(aPod(name, { ...traits, conditions: [ready, evicted] }));
    expect(world.invariants.violation).toBeUndefined();
    await world.putPod(aPod("c", { ...traits, conditions: [ready, evicted] }));
    expect(world.found()).toEqual([
      "evictions-respect-budgets",
      "pod default/c was evicted, and 1 pods remain, but budget default/web requires 2",
    ]);
  });

  test("an unready pod may be evicted, and another pod once its replacement exists", async () => {
    const world = await aWorldWithBudget(["a", "b", "c"]);
    await world.live(20 * second);
    const down = { type: "Ready", status: "False" as const };
    await world.putPod(aPod("b", { ...traits, conditions: [down] }));
    await world.putPod(aPod("b", { ...traits, conditions: [down, evicted] }));
    await world.live(20 * second);
    await world.putPod(aPod("d", { ...traits, nodeName: "n2", conditions: [ready] }));
    await world.putPod(aPod("a", { ...traits, conditions: [ready, evicted] }));
    expect(world.invariants.violation).toBeUndefined();
    expect(world.invariants.checksByName["evictions-respect-budgets"]).toBe(1);
  });

  test("another pod may be evicted at the very instant at which the replacement exists", async () => {
    const world = await aWorldWithBudget(["a", "b", "c"]);
    await world.live(20 * second);
    await world.putPod(aPod("a", { ...traits, conditions: [ready, evicted] }));
    await world.putPod(aPod("d", { ...traits, nodeName: "n2", conditions: [ready] }));
    await world.putPod(aPod("b", { ...traits, conditions: [ready, evicted] }));
    expect(world.invariants.violation).toBeUndefined();
    await world.putPod(aPod("c", { ...traits, conditions: [ready, evicted] }));
    expect(world.found()[0]).toBe("evictions-respect-budgets");
  });

  test("no controller may allow more than zero disruptions", async () => {
    const world = await aWorldWithBudget([]);
    await world.put("policy/poddisruptionbudgets/default/web", {
      metadata: { namespace: "default", name: "web" },
      status: { disruptionsAllowed: -1 },
    });
    expect(world.found()).toEqual(["evictions-respect-budgets", "budget default/web allows -1 disruptions"]);
  });
});

describe("budgets-count-correctly: a budget's count", () => {
  const budgetKey = "policy/poddisruptionbudgets/default/web";
  const metadata = { namespace: "default", name: "web" };
  const spec = { minAvailable: 1, selector: { matchLabels: { app: "web" } } };

  /** A world with one healthy pod, which its budget counts. */
  async function aWorldThatCounts() {
    const world = openWorld();
    await world.putNode(aNode("n1"));
    const putBudget = (currentHealthy: number, disruptedPods: Record<string, string> = {}) =>
      world.put(budgetKey, { metadata, spec, status: { currentHealthy, disruptedPods } });
    await world.live(130 * second);
    await world.putPod(aPod("a", { ...traits, conditions: [ready] }));
    await putBudget(1);
    return { ...world, putBudget };
  }

  test("that is wrong for 60 quiet seconds is detected", async () => {
    const world = await aWorldThatCounts();
    await world.live(130 * second);
    expect(world.invariants.violation).toBeUndefined();
    await world.putBudget(0);
    await world.live(50 * second);
    expect(world.invariants.violation).toBeUndefined();
    await world.live(30 * second);
    expect(world.found()[0]).toBe("budgets-count-correctly");
  });

  test("excludes the evicted pod, but not its successor of the same name", async () => {
    const world = await aWorldThatCounts();
    await world.putBudget(0, { a: new Date(world.clock.nowMs() + second).toISOString() });
    await world.live(100 * second);
    expect(world.invariants.violation).toBeUndefined();
    await world.removePod(aPod("a", traits));
    const next = aPod("a", { ...traits, uid: "next", conditions: [ready] });
    const creationTimestamp = new Date(world.clock.nowMs()).toISOString();
    await world.putPod({ ...next, metadata: { ...next.metadata, creationTimestamp } });
    await world.live(80 * second);
    expect(world.found()[0]).toBe("budgets-count-correctly");
  });
});
