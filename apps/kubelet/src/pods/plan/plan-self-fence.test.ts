import { profiles, type Toleration } from "@kintsugi/api";
import { describe, expect, test } from "vitest";
import { manifestPath } from "../../model/bound-pod.ts";
import { aPod } from "../../testing/builders.ts";
import { fenceGraceSeconds, planSelfFence } from "./plan-self-fence.ts";

const second = 1000;
const timersOf = ({ nodeMonitorGracePeriodMs, nodeLeaseRenewIntervalMs }: (typeof profiles)["default"]) => ({
  gracePeriodMs: nodeMonitorGracePeriodMs,
  renewIntervalMs: nodeLeaseRenewIntervalMs,
});
const tolerating = (...seconds: (number | undefined)[]): Toleration[] =>
  seconds.map((tolerationSeconds) => ({
    key: "node.kubernetes.io/unreachable",
    operator: "Exists",
    effect: "NoExecute",
    ...(tolerationSeconds === undefined ? {} : { tolerationSeconds }),
  }));
const fenced = (tolerations: Toleration[], value = "true") =>
  aPod({ tolerations }, { metadata: { annotations: { "kintsugi.dev/fence-on-partition": value } } });

describe("a pod that opted in is stopped", () => {
  test.each([
    ["default", "one renewal after the grace period ends", tolerating(300), 50, 339],
    ["default", "just before the grace period ends, without tolerations", [], 37, 39],
    ["default", "just before the grace period ends, with a toleration of 0 s", tolerating(0), 37, 39],
    ["default", "in time for a short toleration", tolerating(5), 42, 44],
    ["default", "even if it tolerates silence forever", tolerating(undefined), 50, Infinity],
    ["kubernetes", "with upstream's timers", tolerating(300), 60, 349],
    ["fast", "within a toleration of 5 s", tolerating(5), 5, 8],
    ["fast", "but not after one lost renewal", [], 2, 3],
  ] as const)("%s: %s", (profile, _, tolerations, stopSeconds, endSeconds) => {
    expect(planSelfFence(fenced([...tolerations]), timersOf(profiles[profile]))).toEqual({
      stopAfterMs: stopSeconds * second,
      endAfterMs: endSeconds * second,
    });
  });
});

test.each([
  ["without the annotation", aPod()],
  ['with "false"', fenced([], "false")],
  ["with a value that was stored before it was refused", fenced([], "yes")],
  ["from a manifest, which is never replaced", { ...fenced([]), [manifestPath]: "/manifests/p.yaml" }],
])("a pod %s is never stopped", (_, pod) => {
  expect(planSelfFence(pod, timersOf(profiles.default))).toBeUndefined();
});

test.each([
  [50, 339, 30, 30],
  [37, 39, 30, 2],
  [37.5, 39, 30, 1],
  [39, 39, 30, 0],
  [60, 39, 30, 0],
  [50, Infinity, 7, 7],
])("stopped after %d s, to end by %d s, with its own grace period of %d s: %d s", (silence, end, own, grace) => {
  const pod = aPod({ terminationGracePeriodSeconds: own });
  const plan = { stopAfterMs: 0, endAfterMs: end * second };
  expect(fenceGraceSeconds(pod, plan, silence * second)).toBe(grace);
});

test("for any timers, a pod with tolerations has ended before its replacement may run", () => {
  for (const gracePeriodMs of [4, 10, 40, 50, 120].map((seconds) => seconds * second))
    for (const renewIntervalMs of [500, second, 5 * second, 10 * second])
      for (const seconds of [0, 1, 2, 5, 30, 300]) {
        const plan = planSelfFence(fenced(tolerating(seconds)), { gracePeriodMs, renewIntervalMs });
        expect.assert(plan);
        expect(plan.stopAfterMs).toBeLessThanOrEqual(plan.endAfterMs);
        const graceMs = fenceGraceSeconds(fenced([]), plan, plan.stopAfterMs) * second;
        expect(plan.stopAfterMs + graceMs).toBeLessThan(gracePeriodMs + seconds * second);
      }
});
