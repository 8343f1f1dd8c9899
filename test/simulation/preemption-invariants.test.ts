import { describe, expect, test } from "vitest";
import { aNode, aPod, openWorld } from "./planted-world.ts";

const second = 1000;
const preempted = [{ type: "DisruptionTarget", status: "True" as const, reason: "PreemptionByScheduler" }];

describe("preemptors-are-more-important: pods are preempted", () => {
  async function aWorldWithVictim(priority: number) {
    const world = openWorld();
    for (const name of ["n1", "n2"]) await world.putNode(aNode(name));
    const victim = (conditions = preempted) => aPod("victim", { nodeName: "n1", spec: { priority }, conditions });
    await world.putPod(victim([]));
    return { world, preempt: () => world.putPod(victim()) };
  }
  const nominated = (priority: number, nominatedNodeName: string) => ({
    ...aPod("high", { spec: { priority } }),
    status: { nominatedNodeName },
  });

  test("for a more important pod that is nominated to the node", async () => {
    const { world, preempt } = await aWorldWithVictim(0);
    await world.putPod(nominated(1000, "n1"));
    await preempt();
    expect(world.invariants.violation).toBeUndefined();
    expect(world.invariants.checksByName["preemptors-are-more-important"]).toBe(1);
  });

  test.each([
    ["an equally important pod", 1000, nominated(1000, "n1")],
    ["a pod that is nominated to another node", 0, nominated(1000, "n2")],
    ["a pod that is not nominated", 0, nominated(1000, "")],
  ])("never for %s", async (_, priority, pod) => {
    const { world, preempt } = await aWorldWithVictim(priority);
    await world.putPod(pod);
    await preempt();
    expect(world.found()).toEqual([
      "preemptors-are-more-important",
      `pod default/victim of priority ${priority} was preempted on n1, where no more important pod is nominated`,
    ]);
  });

  test("although the pod has just been placed or removed, but not long afterwards", async () => {
    const { world, preempt } = await aWorldWithVictim(0);
    await world.putPod(nominated(1000, "n1"));
    await world.removePod(nominated(1000, "n1"));
    await world.live(14 * second);
    await preempt();
    expect(world.invariants.violation).toBeUndefined();

    const later = await aWorldWithVictim(0);
    await later.world.putPod(nominated(1000, "n1"));
    await later.world.putPod(nominated(1000, "n2"));
    await later.world.live(18 * second);
    await later.preempt();
    expect(later.world.found()[0]).toBe("preemptors-are-more-important");
  });
});
