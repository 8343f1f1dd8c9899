import { formatTimestamp } from "@kintsugi/api";
import { expect, test } from "vitest";
import { observeWorld } from "./observe.ts";
import { judgeMove, type MoveOutcome } from "./judge-move.ts";
import { aCrowd, noonMs, podOf, setNamed, someOptions } from "./testing/a-world.ts";
import type { ObservedObjects } from "./world.ts";

const set = setNamed("web", 6);
const begun = noonMs - 60_000;
const record = { nodes: "mark", at: formatTimestamp(begun), moved: ["uid-old"] };
const move = { pod: "a", uid: "uid-a", from: "node-1", to: "node-3", crowd: 3 };

function judged(pods: ObservedObjects["pods"], laterMs = 0): MoveOutcome {
  const world = observeWorld({ ...aCrowd(set), pods });
  const [owner] = world.owners;
  if (owner === undefined) throw new Error("no owner");
  return judgeMove(
    owner,
    { record: { ...record, move }, move },
    { world, options: someOptions, nowMs: noonMs + laterMs },
  );
}

const others = aCrowd(set).pods.filter(({ metadata }) => metadata.name !== "a");
const replacement = (node: string, isReady = true) => podOf(set, "g", node, { createdMs: begun + 1000, isReady });

test("a replacement on a node with fewer pods is a success and is not moved again", () => {
  expect(judged([...others, replacement("node-3")])).toMatchObject({
    how: "moved",
    record: { moved: ["uid-old", "uid-g"] },
    note: "pod g on node node-3 replaces pod a of node node-1",
  });
});

test("a replacement on the old node or another crowded node ends the owner's moves", () => {
  for (const node of ["node-1", "node-2"]) {
    const outcome = judged([...others, replacement(node)]);
    expect(outcome).toMatchObject({ how: "missed", record: { moved: ["uid-old"] } });
    expect(outcome.is === "ended" && outcome.record.blocked).toBe(
      `pod g, which replaces pod a of node node-1, is on node ${node} and not on node node-3`,
    );
  }
});

test("the move is in progress until the replacement is Ready, and is abandoned after a time limit", () => {
  for (const pods of [others, [...others, replacement("node-3", false)]]) {
    expect(judged(pods).is).toBe("under way");
    expect(judged(pods, someOptions.readyWithinMs)).toMatchObject({
      how: "missed",
      record: { blocked: "the replacement of pod a is not Ready after 300 s" },
    });
  }
});

test("a pod whose eviction did not happen remains, and the move is reverted", () => {
  const pods = aCrowd(set).pods;
  expect(judged(pods, -50_000).is).toBe("under way");
  expect(judged(pods)).toEqual({ is: "ended", how: "withdrawn", record, note: "pod a was not evicted" });
});

test("a terminating pod does not delay the end of the move", () => {
  const going = podOf(set, "a", "node-1");
  going.metadata.deletionTimestamp = formatTimestamp(noonMs);
  expect(judged([...others, going, replacement("node-3")])).toMatchObject({ how: "moved" });
});

test("a set that was scaled down in the meantime ends the move without a verdict", () => {
  const world = observeWorld({ ...aCrowd(setNamed("web", 5)), pods: others });
  const [owner] = world.owners;
  if (owner === undefined) throw new Error("no owner");
  const outcome = judgeMove(
    owner,
    { record: { ...record, move }, move },
    { world, options: someOptions, nowMs: noonMs },
  );
  expect(outcome).toMatchObject({ how: "withdrawn", record: { moved: ["uid-old"] } });
});
