import type { HorizontalPodAutoscalerBehavior, HPAScalingPolicy, HPAScalingRules } from "@kintsugi/api";
import { type ScalingHistory, type ScaleEvent, withRecommendation } from "./scaling-history.ts";

// The metrics recommend a number of replicas. This file limits how far the number may change now
// (normalizeDesiredReplicas and normalizeDesiredReplicasWithBehaviors of
// pkg/controller/podautoscaler/horizontal.go).
//
//   recommended ──the safest of a window──► ──policies of the behavior──► ──bounds──► desired
//
//   A window of 60 s downwards: recommended 8 at 0 s, 3 at 15 s → 8 until 60 s, then 3.

export interface BoundsQuestion {
  recommended: number;
  currentReplicas: number;
  minReplicas: number;
  maxReplicas: number;
  behavior: HorizontalPodAutoscalerBehavior | undefined;
  /** The default window of an autoscaler's behavior. */
  downscaleStabilizationMs: number;
  nowMs: number;
}

interface Explanation {
  reason: string;
  message: string;
}

export interface BoundsAnswer {
  desired: number;
  /** The condition AbleToScale, which is always True here. */
  able: Explanation;
  limited: Explanation & { isLimited: boolean };
  history: ScalingHistory;
}

export function boundReplicas(question: BoundsQuestion, history: ScalingHistory): BoundsAnswer {
  const { recommended } = question;
  const stabilized = question.behavior === undefined ? stabilizeDown(question, history) : stabilize(question, history);
  const { replicas } = stabilized;
  const { desired, ...limit } =
    question.behavior === undefined ? withinBounds(question, replicas) : withinRates(question, replicas, history);
  return {
    desired,
    able: replicas === recommended ? readyForNewScale : stabilized.because,
    limited: { ...limit, isLimited: desired !== replicas },
    history: withRecommendation(history, { replicas: recommended, atMs: question.nowMs }, stabilized.keptMs),
  };
}

const readyForNewScale = { reason: "ReadyForNewScale", message: "recommended size matches current size" };
const scaleDownStabilized = {
  reason: "ScaleDownStabilized",
  message: "recent recommendations were higher than current one, applying the highest recent recommendation",
};
const scaleUpStabilized = {
  reason: "ScaleUpStabilized",
  message: "recent recommendations were lower than current one, applying the lowest recent recommendation",
};

interface Stabilized {
  replicas: number;
  because: Explanation;
  /** The age up to which recommendations count. */
  keptMs: number;
}

function stabilizeDown(question: BoundsQuestion, { recommendations }: ScalingHistory): Stabilized {
  const { recommended, nowMs, downscaleStabilizationMs: keptMs } = question;
  const recent = recommendations.filter(({ atMs }) => atMs >= nowMs - keptMs);
  const replicas = Math.max(recommended, ...recent.map((each) => each.replicas));
  return { replicas, because: scaleDownStabilized, keptMs };
}

function stabilize(question: BoundsQuestion, { recommendations }: ScalingHistory): Stabilized {
  const { recommended, currentReplicas, nowMs, behavior } = question;
  const upMs = (behavior?.scaleUp?.stabilizationWindowSeconds ?? 0) * 1000;
  const downSeconds = behavior?.scaleDown?.stabilizationWindowSeconds;
  const downMs = downSeconds === undefined ? question.downscaleStabilizationMs : downSeconds * 1000;
  const within = (windowMs: number) =>
    recommendations.filter(({ atMs }) => atMs > nowMs - windowMs).map(({ replicas }) => replicas);
  const lowest = Math.min(recommended, ...within(upMs));
  const highest = Math.max(recommended, ...within(downMs));
  const replicas = Math.min(Math.max(currentReplicas, lowest), highest);
  const because = recommended >= currentReplicas ? scaleUpStabilized : scaleDownStabilized;
  return { replicas, because, keptMs: Math.max(upMs, downMs) };
}

type Limit = Explanation & { desired: number };

const withinRange = { reason: "DesiredWithinRange", message: "the desired count is within the acceptable range" };
const scaleUpLimit = {
  reason: "ScaleUpLimit",
  message: "the desired replica count is increasing faster than the maximum scale rate",
};
const tooManyReplicas = {
  reason: "TooManyReplicas",
  message: "the desired replica count is more than the maximum replica count",
};
const scaleDownLimit = {
  reason: "ScaleDownLimit",
  message: "the desired replica count is decreasing faster than the maximum scale rate",
};
const tooFewReplicas = {
  reason: "TooFewReplicas",
  message: "the desired replica count is less than the minimum replica count",
};

/** The number at most doubles, but 4 replicas are always allowed. */
function withinBounds({ currentReplicas, minReplicas, maxReplicas }: BoundsQuestion, replicas: number): Limit {
  const fastest = Math.max(2 * currentReplicas, 4);
  const most = Math.min(maxReplicas, fastest);
  if (replicas < minReplicas) return { desired: minReplicas, ...tooFewReplicas };
  if (replicas > most) return { desired: most, ...(maxReplicas > fastest ? scaleUpLimit : tooManyReplicas) };
  return { desired: replicas, ...withinRange };
}

function withinRates(question: BoundsQuestion, replicas: number, history: ScalingHistory): Limit {
  const { currentReplicas, minReplicas, maxReplicas, behavior } = question;
  if (replicas > currentReplicas) {
    const fastest = Math.max(currentReplicas, rateLimit(question, behavior?.scaleUp, history, up));
    const most = Math.min(maxReplicas, fastest);
    if (replicas > most) return { desired: most, ...(maxReplicas > fastest ? scaleUpLimit : tooManyReplicas) };
  }
  if (replicas < currentReplicas) {
    const fastest = Math.min(currentReplicas, rateLimit(question, behavior?.scaleDown, history, down));
    const least = Math.max(minReplicas, fastest);
    if (replicas < least) return { desired: least, ...(minReplicas < fastest ? scaleDownLimit : tooFewReplicas) };
  }
  return { desired: replicas, ...withinRange };
}

interface Direction {
  proposal(policy: HPAScalingPolicy, replicasAtStart: number): number;
  /**
   * These functions select the proposal with the largest change and the proposal with the smallest
   * change.
   */
  largest: (...values: number[]) => number;
  smallest: (...values: number[]) => number;
}

const up: Direction = {
  proposal: ({ type, value }, replicasAtStart) =>
    type === "Pods" ? replicasAtStart + value : Math.ceil(replicasAtStart * (1 + value / 100)),
  largest: Math.max,
  smallest: Math.min,
};

const down: Direction = {
  proposal: ({ type, value }, replicasAtStart) =>
    type === "Pods" ? replicasAtStart - value : Math.trunc(replicasAtStart * (1 - value / 100)),
  largest: Math.min,
  smallest: Math.max,
};

/** The number of replicas that the policies allow now, given the changes within their periods. */
function rateLimit(
  { currentReplicas, nowMs }: BoundsQuestion,
  rules: HPAScalingRules | undefined,
  { ups, downs }: ScalingHistory,
  direction: Direction,
): number {
  const { selectPolicy = "Max", policies = [] } = rules ?? {};
  if (selectPolicy === "Disabled" || policies.length === 0) return currentReplicas;
  const proposals = policies.map((policy) => {
    const sinceMs = nowMs - policy.periodSeconds * 1000;
    const replicasAtStart = currentReplicas - changeSince(ups, sinceMs) + changeSince(downs, sinceMs);
    return direction.proposal(policy, replicasAtStart);
  });
  return selectPolicy === "Min" ? direction.smallest(...proposals) : direction.largest(...proposals);
}

function changeSince(events: readonly ScaleEvent[], sinceMs: number): number {
  return events.reduce((sum, { change, atMs }) => (atMs > sinceMs ? sum + change : sum), 0);
}
