import {
  formatTimestamp,
  type HorizontalPodAutoscaler,
  type HorizontalPodAutoscalerCondition,
  type HorizontalPodAutoscalerStatus,
  type MetricStatus,
  withCondition as setCondition,
} from "@kintsugi/api";
import { boundReplicas } from "./bounds/bound-replicas.ts";
import { beginHistory, isAhead, type ScalingHistory, withScaleEvent } from "./bounds/scaling-history.ts";
import { evaluateMetrics, type MetricsAnswer, tolerancesOf } from "./metrics/evaluate-metrics.ts";
import type { MetricReading, MetricValues } from "./metrics/metric-values.ts";
import type { PodView } from "./replicas/group-pods.ts";

// One decision about one autoscaler, in the order of the reconciler (reconcileAutoscaler of
// pkg/controller/podautoscaler/horizontal.go):
//
//   planWithoutScale     the scaled object cannot be read
//   planWithoutMetrics   its size is 0 or out of bounds, so the metrics do not matter
//   planByMetrics        its size is within bounds
//
// A plan may contain a size to write; planRescaled and planNotRescaled then report the result of
// that write.

interface Note {
  type: "Normal" | "Warning";
  reason: string;
  message: string;
}

export interface AutoscalerPlan {
  status: HorizontalPodAutoscalerStatus;
  notes: readonly Note[];
  rescale?: Rescale;
  history?: ScalingHistory;
}

export interface Rescale {
  from: number;
  to: number;
  reason: string;
}

interface Subject {
  autoscaler: HorizontalPodAutoscaler;
  nowMs: number;
}

export interface ScaleSubject extends Subject {
  specReplicas: number;
  statusReplicas: number;
  history: ScalingHistory | undefined;
}

export function planWithoutScale({ autoscaler, nowMs }: Subject, because: string): AutoscalerPlan {
  const message = `the HPA controller was unable to get the target's current scale: ${because}`;
  const status = withCondition(statusOf(autoscaler), { ...falseAble, reason: "FailedGetScale", message }, nowMs);
  return { status, notes: [{ type: "Warning", reason: "FailedGetScale", message: because }] };
}

/** @returns undefined where the metrics decide. */
export function planWithoutMetrics(subject: ScaleSubject): AutoscalerPlan | undefined {
  const { autoscaler, specReplicas: current, nowMs } = subject;
  const { minReplicas = 1, maxReplicas } = autoscaler.spec;
  const history = historyOf(subject);
  const able = withGottenScale(subject);
  if (current === 0 && minReplicas !== 0) {
    const message = "scaling is disabled since the replica count of the target is zero";
    const status = withCondition(able, { ...falseActive, reason: "ScalingDisabled", message }, nowMs);
    return { status: sized(status, { current, desired: 0, metrics: [] }), notes: [], history };
  }
  if (current >= minReplicas && current <= maxReplicas) return undefined;
  const [to, bound] =
    current > maxReplicas ? [maxReplicas, "above Spec.MaxReplicas"] : [minReplicas, "below Spec.MinReplicas"];
  const rescale = { from: current, to, reason: `Current number of replicas ${bound}` };
  return { status: sized(able, { current, desired: to, metrics: [] }), notes: [], history, rescale };
}

/** The selector of the scaled object also matches pods of other owners. */
export interface SelectorFault {
  /** The reason and message of the event and of the condition, which may differ. */
  event: { reason: string; message: string };
  condition: { reason: string; message: string };
}

export function planWithoutPods(subject: ScaleSubject, { event, condition }: SelectorFault): AutoscalerPlan {
  const { nowMs, specReplicas: current } = subject;
  const status = withCondition(withGottenScale(subject), { ...falseActive, ...condition }, nowMs);
  return {
    status: sized(status, { current, desired: status.desiredReplicas, metrics: [] }),
    notes: [
      { type: "Warning", ...event },
      { type: "Warning", reason: "FailedComputeMetricsReplicas", message: event.message },
    ],
    history: historyOf(subject),
  };
}

export interface MetricsSubject extends ScaleSubject {
  readings: readonly MetricReading<MetricValues>[];
  view: PodView;
  options: { hpaTolerance: number; hpaDownscaleStabilizationMs: number };
}

export function planByMetrics(subject: MetricsSubject): AutoscalerPlan {
  const { autoscaler, view, readings, specReplicas, statusReplicas, options, nowMs } = subject;
  const tolerances = tolerancesOf(autoscaler, options.hpaTolerance);
  const { namespace = "" } = autoscaler.metadata;
  const context = { namespace, view, tolerances, specReplicas, statusReplicas };
  const answer = evaluateMetrics(autoscaler.spec.metrics ?? [], readings, context);
  const notes: Note[] = answer.failures.map(({ reason, because }) => ({ type: "Warning", reason, message: because }));
  if (answer.decided === undefined) return planUndecided(subject, answer, notes);
  const { replicas, name } = answer.decided;
  const message = `the HPA was able to successfully calculate a replica count from ${name}`;
  const active = { ...trueActive, reason: "ValidMetricFound", message };
  const bounded = boundReplicas(
    {
      recommended: replicas,
      currentReplicas: specReplicas,
      minReplicas: autoscaler.spec.minReplicas ?? 1,
      maxReplicas: autoscaler.spec.maxReplicas,
      behavior: autoscaler.spec.behavior,
      downscaleStabilizationMs: options.hpaDownscaleStabilizationMs,
      nowMs,
    },
    historyOf(subject),
  );
  const { isLimited, ...limit } = bounded.limited;
  const limited = { type: "ScalingLimited", status: isLimited ? ("True" as const) : ("False" as const), ...limit };
  const status = [active, { ...trueAble, ...bounded.able }, limited].reduce(
    (before, condition) => withCondition(before, condition, nowMs),
    withGottenScale(subject),
  );
  const { desired, history } = bounded;
  const plan = { status: sized(status, { current: specReplicas, desired, metrics: answer.statuses }), notes, history };
  if (desired === specReplicas) return plan;
  const because =
    replicas > specReplicas ? `${name} above target` : replicas < specReplicas ? "All metrics below target" : "";
  return { ...plan, rescale: { from: specReplicas, to: desired, reason: because } };
}

function planUndecided(subject: MetricsSubject, answer: MetricsAnswer, notes: readonly Note[]): AutoscalerPlan {
  const { nowMs, specReplicas: current } = subject;
  const [first] = answer.failures;
  const message = `the HPA was unable to compute the replica count: ${first?.because ?? ""}`;
  const before = withGottenScale(subject);
  const status = withCondition(before, { ...falseActive, reason: first?.reason ?? "", message }, nowMs);
  return {
    status: sized(status, { current, desired: status.desiredReplicas, metrics: answer.statuses }),
    notes: [...notes, { type: "Warning", reason: "FailedComputeMetricsReplicas", message: answer.summary ?? "" }],
    history: historyOf(subject),
  };
}

/** The plan after the new size was written. */
export function planRescaled(plan: AutoscalerPlan, { from, to, reason }: Rescale, nowMs: number): AutoscalerPlan {
  const message = `the HPA controller was able to update the target scale to ${to}`;
  const status = withCondition(plan.status, { ...trueAble, reason: "SucceededRescale", message }, nowMs);
  const event = { change: Math.abs(to - from), atMs: nowMs };
  return {
    status: { ...status, lastScaleTime: formatTimestamp(nowMs) },
    notes: [
      ...plan.notes,
      { type: "Normal", reason: "SuccessfulRescale", message: `New size: ${to}; reason: ${reason}` },
    ],
    history: withScaleEvent(plan.history ?? beginHistory(from, nowMs), to > from ? "ups" : "downs", event),
  };
}

/** The plan after the write of the new size was rejected. */
export function planNotRescaled(
  plan: AutoscalerPlan,
  { rescale, because, desiredBefore }: { rescale: Rescale; because: string; desiredBefore: number },
  nowMs: number,
): AutoscalerPlan {
  const { to, reason } = rescale;
  const message = `the HPA controller was unable to update the target scale: ${because}`;
  const status = withCondition(plan.status, { ...falseAble, reason: "FailedUpdateScale", message }, nowMs);
  const note = `New size: ${to}; reason: ${reason}; error: ${because}`;
  return {
    status: { ...status, desiredReplicas: desiredBefore },
    notes: [...plan.notes, { type: "Warning", reason: "FailedRescale", message: note }],
    ...(plan.history === undefined ? {} : { history: plan.history }),
  };
}

const trueAble = { type: "AbleToScale", status: "True" as const };
const falseAble = { type: "AbleToScale", status: "False" as const };
const trueActive = { type: "ScalingActive", status: "True" as const };
const falseActive = { type: "ScalingActive", status: "False" as const };

function statusOf({ status }: HorizontalPodAutoscaler): HorizontalPodAutoscalerStatus {
  return status ?? { desiredReplicas: 0 };
}

function historyOf({ history, specReplicas, nowMs }: ScaleSubject): ScalingHistory {
  return history === undefined || isAhead(history, nowMs) ? beginHistory(specReplicas, nowMs) : history;
}

function withGottenScale({ autoscaler, nowMs }: Subject): HorizontalPodAutoscalerStatus {
  const message = "the HPA controller was able to get the target's current scale";
  return withCondition(statusOf(autoscaler), { ...trueAble, reason: "SucceededGetScale", message }, nowMs);
}

interface Size {
  current: number;
  desired: number;
  metrics: readonly MetricStatus[];
}

/** A copy of a status with the conditions and the last change of the old status (setStatus). */
function sized(status: HorizontalPodAutoscalerStatus, { current, desired, metrics }: Size) {
  const { lastScaleTime, conditions } = status;
  return {
    ...(lastScaleTime === undefined ? {} : { lastScaleTime }),
    currentReplicas: current,
    desiredReplicas: desired,
    ...(metrics.length === 0 ? {} : { currentMetrics: [...metrics] }),
    ...(conditions === undefined ? {} : { conditions }),
  };
}

type NewCondition = Omit<HorizontalPodAutoscalerCondition, "lastTransitionTime">;

function withCondition(
  status: HorizontalPodAutoscalerStatus,
  condition: NewCondition,
  nowMs: number,
): HorizontalPodAutoscalerStatus {
  return { ...status, conditions: setCondition(status.conditions, condition, nowMs) };
}
