import { type Pod, silentLogger } from "@kintsugi/api";
import { expect, test } from "vitest";
import { writePodCondition } from "./pod-condition.ts";

test("the reason why a pod waits is written once for each generation of its spec", async () => {
  const bodies: unknown[] = [];
  const client = {
    patch: (_: unknown, __: unknown, { body }: { body: unknown }) => Promise.resolve(bodies.push(body)),
  };
  const deps = { client: client as never, log: silentLogger, nowMs: () => 0 };
  const why = { reason: "Unschedulable", message: "0/1 nodes are available" } as const;
  const waits = (generation: number, observedGeneration: number): Pod => ({
    metadata: { name: "p", namespace: "default", uid: "u", generation },
    status: { conditions: [{ type: "PodScheduled", status: "False", ...why, observedGeneration }] },
  });
  expect(await writePodCondition(deps, waits(1, 1), why)).toBe("said");
  expect(bodies).toEqual([]);
  await writePodCondition(deps, waits(2, 1), why);
  expect(bodies).toMatchObject([
    { status: { conditions: [{ type: "PodScheduled", status: "False", observedGeneration: 2 }] } },
  ]);
});
