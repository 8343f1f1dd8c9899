import type { Lease } from "@kintsugi/api";
import { VirtualClock } from "@kintsugi/clock/simulated";
import { describe, expect, test } from "vitest";
import { aNode } from "../../testing/test-cluster.ts";
import { ApiContact } from "./api-contact.ts";
import { NodeHealthMap } from "./node-health.ts";
import { planUnknownConditions } from "./plan-conditions.ts";

const lease = (renewTime: string): Lease => ({ metadata: { name: "n" }, spec: { renewTime } });

describe("the last renewal of a node", () => {
  test("is the present time at the first observation, whatever its timestamps are", () => {
    const health = new NodeHealthMap();
    health.observeNode(aNode("n", { nowMs: 0 }), 5000);
    expect(health.silentForMs("n", 7000)).toBe(2000);
  });

  test("changes with every change of its Lease, forwards or backwards, but not with an equal Lease", () => {
    const health = new NodeHealthMap();
    expect(health.observeLease("n", lease("10:00"), 0)).toBe(true);
    expect(health.observeLease("n", lease("10:00"), 1000)).toBe(false);
    expect(health.silentForMs("n", 1000)).toBe(1000);
    expect(health.observeLease("n", lease("09:00"), 2000)).toBe(true);
    expect(health.silentForMs("n", 2500)).toBe(500);
    expect(health.observeLease("n", undefined, 3000)).toBe(false);
  });

  test("changes with its status as well, but not when this controller writes that status", () => {
    const health = new NodeHealthMap();
    health.observeNode(aNode("n", { nowMs: 0 }), 0);
    health.observeNode(aNode("n", { nowMs: 10_000 }), 100);
    expect(health.silentForMs("n", 100)).toBe(0);
    const node = aNode("n", { nowMs: 10_000 });
    const conditions = planUnknownConditions(node, 60_000) ?? [];
    health.observeNode({ ...node, status: { conditions } }, 200);
    expect(health.silentForMs("n", 300)).toBe(200);
  });

  test("orders the nodes by their silence, however often they were renewed", () => {
    const health = new NodeHealthMap();
    for (const [node, nowMs] of [
      ["a", 0],
      ["b", 1000],
      ["c", 2000],
      ["a", 3000],
    ] as const)
      health.observeLease(node, lease(`${nowMs}`), nowMs);
    expect([...health.silentFor(3000, 5000)]).toEqual(["b", "c"]);
    expect([...health.silentFor(2000, 5000)]).toEqual(["b", "c", "a"]);
    health.resetAll(6000);
    expect([...health.silentFor(1, 6000)]).toEqual([]);
  });

  test("is unknown, and therefore not silent, for a node that was never observed", () => {
    expect(new NodeHealthMap().silentForMs("n", 1_000_000)).toBe(0);
  });
});

describe("contact with the API server", () => {
  test("is paused from the last success before a failure until the next success", async () => {
    const clock = new VirtualClock();
    const contact = new ApiContact(clock);
    const counted: number[] = [];
    const steps = ["succeeded", "succeeded", "failed", "failed", "succeeded", "succeeded"] as const;
    for (const step of steps) {
      contact[step]();
      counted.push(contact.countedMs());
      await clock.advance(5000);
    }
    expect(counted).toEqual([0, 5000, 5000, 5000, 5000, 10_000]);
    expect(contact.countedMs()).toBe(15_000);
  });
});
