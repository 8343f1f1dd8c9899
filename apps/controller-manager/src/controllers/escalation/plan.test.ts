import { formatTimestamp, type Pod } from "@kintsugi/api";
import { expect, test } from "vitest";
import { aPod, type PodTraits } from "../../testing/test-cluster.ts";
import { planReplacement } from "./plan.ts";

const nowMs = 1_767_225_600_000;
const second = 1000;

/**
 * Makes a pod that is Ready unless its traits differ; `needySinceMs` is the time since which it is
 * marked for replacement.
 */
function pod(name: string, traits: PodTraits & { needySinceMs?: number; avoids?: string } = {}): Pod {
  const { needySinceMs, avoids, ...rest } = traits;
  const annotations = avoids === undefined ? {} : { annotations: { "kintsugi.dev/avoid-nodes": avoids } };
  const made = aPod(name, { createdMs: nowMs - 3_600_000, node: "node-1", ...rest, ...annotations });
  if (needySinceMs === undefined) return made;
  const type = "kintsugi.dev/ReplacementNeeded";
  const needed = { type, status: "True" as const, lastTransitionTime: formatTimestamp(nowMs - needySinceMs) };
  return { ...made, status: { ...made.status, conditions: [...(made.status?.conditions ?? []), needed] } };
}

function words(pods: Pod[], replicas?: number): string {
  const plan = planReplacement({ pods, replicas }, nowMs);
  if (plan.kind === "nothing") return "nothing";
  if (plan.kind === "replace") return `replace ${plan.pod.metadata.name}`;
  const later = plan.retryAfterMs === undefined ? "" : `, for ${plan.retryAfterMs} ms`;
  return `${plan.pod.metadata.name} waits: ${plan.because}${later}`;
}

const down = { ready: false, needySinceMs: second };

test.each<[string, Pod[], number | undefined, string]>([
  ["no pod in need", [pod("a"), pod("b", { ready: false })], 2, "nothing"],
  ["one pod in need", [pod("a", down), pod("b")], 2, "replace a"],
  [
    "the pod that is in need for the longest time",
    [pod("a", down), pod("b", { ...down, needySinceMs: 9 * second })],
    2,
    "replace b",
  ],
  ["a pod that is terminating already", [pod("a", { ...down, deletedMs: nowMs })], 1, "nothing"],
  ["too few pods", [pod("a", down), pod("b", { ...down, deletedMs: nowMs })], 2, "a waits: its owner has 1 of 2 pods"],
  [
    "a replacement that is not Ready",
    [pod("a", down), pod("b", { ready: false, avoids: "node-2" })],
    2,
    "a waits: b, which replaces another pod, is not Ready yet",
  ],
  ["a replacement that is Ready", [pod("a", down), pod("b", { avoids: "node-2" })], 2, "replace a"],
  ["another pod that is not Ready for its own reasons", [pod("a", down), pod("b", { ready: false })], 2, "replace a"],
  [
    "a replacement that is in need itself",
    [pod("a", { ...down, needySinceMs: 9 * second }), pod("b", { ...down, avoids: "node-2" })],
    2,
    "replace b",
  ],
  [
    "a replacement that has just been created",
    [pod("a", { ...down, avoids: "node-2", createdMs: nowMs - 10 * second })],
    1,
    "a waits: it replaces another pod, and has just been created, for 20000 ms",
  ],
  [
    "the third in a row",
    [pod("a", { ...down, avoids: "node-3,node-2", createdMs: nowMs - 10 * second })],
    1,
    "a waits: it replaces another pod, and has just been created, for 50000 ms",
  ],
  [
    "a replacement that was created in the future, as after a jump of the clock",
    [pod("a", { ...down, avoids: "node-2", createdMs: nowMs + 3_600_000 })],
    1,
    "a waits: it replaces another pod, and has just been created, for 30000 ms",
  ],
  [
    "another owner's kind, and a terminating owner",
    [pod("a", down), pod("b", { ...down, deletedMs: nowMs })],
    undefined,
    "a waits: another pod of the same owner is being deleted",
  ],
])("%s: %#", (_, pods, replicas, wanted) => {
  expect(words(pods, replicas)).toBe(wanted);
});
