import { expect, test } from "vitest";
import { aPod, exited } from "../../testing/builders.ts";
import { backoffOf, decideRestart } from "./restart-backoff.ts";

const second = 1000;
const options = { initialMs: 10 * second, maxMs: 300 * second, resetMs: 600 * second, floorMs: second };
const finishedAtMs = 1_000_000;

test("the delays that a container's instances carry are 0, 10, 20, 40 … 300 s", () => {
  const carried: number[] = [];
  let carryMs = 0;
  for (let attempt = 0; attempt < 8; attempt++) {
    carried.push(carryMs / second);
    const instance = exited("c", { attempt, carryMs, createdAtMs: finishedAtMs - second, finishedAtMs });
    const decision = decideRestart(instance, options, finishedAtMs + 300 * second);
    expect.assert(decision.kind === "start");
    carryMs = decision.carryMs;
  }
  expect(carried).toEqual([0, 10, 20, 40, 80, 160, 300, 300]);
});

test.each([
  ["never ran", undefined, 0, { kind: "start", carryMs: 0 }],
  ["has no back-off", { carryMs: 0 }, 0, { kind: "start", carryMs: 10 * second }],
  [
    "has 10 s to wait",
    { attempt: 1, carryMs: 10 * second },
    0,
    { kind: "wait", backoffMs: 10 * second, remainingMs: 10 * second },
  ],
  [
    "has waited 4 of 10 s",
    { attempt: 1, carryMs: 10 * second },
    4,
    { kind: "wait", backoffMs: 10 * second, remainingMs: 6 * second },
  ],
  ["has waited 10 s", { attempt: 1, carryMs: 10 * second }, 10, { kind: "start", carryMs: 20 * second }],
  [
    "ran for more than 10 min",
    { attempt: 5, carryMs: 160 * second, createdAtMs: finishedAtMs - 601 * second },
    0,
    { kind: "start", carryMs: 10 * second },
  ],
  [
    "ran for 10 min exactly",
    { attempt: 5, carryMs: 160 * second, createdAtMs: finishedAtMs - 600 * second },
    0,
    { kind: "wait", backoffMs: 160 * second, remainingMs: 160 * second },
  ],
  [
    "has no annotation: its attempt number counts",
    { attempt: 3 },
    0,
    { kind: "wait", backoffMs: 40 * second, remainingMs: 40 * second },
  ],
  [
    "ended in the future, by a clock that jumped back",
    { attempt: 1, carryMs: 10 * second },
    -3600,
    { kind: "start", carryMs: 20 * second },
  ],
  [
    "carries a longer delay than is allowed now",
    { attempt: 1, carryMs: 9_999_999 },
    0,
    { kind: "wait", backoffMs: 300 * second, remainingMs: 300 * second },
  ],
] as const)("a container that %s", (_, fields, waitedSeconds, decision) => {
  const instance = fields && exited("c", { createdAtMs: finishedAtMs - second, finishedAtMs, ...fields });
  expect(decideRestart(instance, options, finishedAtMs + waitedSeconds * second)).toEqual(decision);
});

test.each([
  ["nothing", undefined, { initialMs: 10 * second, maxMs: 300 * second }],
  ["both", "initial=2s,max=30s", { initialMs: 2 * second, maxMs: 30 * second }],
  ["only the first", "initial=400s", { initialMs: 400 * second, maxMs: 400 * second }],
  ["only the last, below the node's first", "max=5s", { initialMs: 5 * second, maxMs: 5 * second }],
  ["less than the node's floor", "initial=1ms,max=20ms", { initialMs: second, maxMs: second }],
  ["an unreadable value", "soon", { initialMs: 10 * second, maxMs: 300 * second }],
])("a pod that requests %s gets that back-off", (_, asked, backoff) => {
  const annotations: Record<string, string> = asked === undefined ? {} : { "kintsugi.dev/backoff": asked };
  expect(backoffOf(aPod({}, { metadata: { annotations } }), options)).toEqual({ ...options, ...backoff });
});
