import { findCondition, formatDuration, type HorizontalPodAutoscaler } from "@kintsugi/api";
import type { ExplainedReason } from "../explanation.ts";
import { kubectlCommand, slashed } from "../words/commands.ts";
import { singleLine, aboutObject, withText } from "../words/phrases.ts";
import { sinceOf } from "../words/times.ts";
import type { World } from "../world.ts";

export function autoscalerReasons(autoscaler: HorizontalPodAutoscaler, world: World): ExplainedReason[] {
  const about = aboutObject("HorizontalPodAutoscaler", autoscaler);
  const { status, spec } = autoscaler;
  const every = formatDuration(world.timers.hpaSyncPeriodMs);
  const next = `It decides again every ${every}.`;
  const reasons: ExplainedReason[] = [];
  const able = findCondition(status?.conditions, "AbleToScale");
  const active = findCondition(status?.conditions, "ScalingActive");
  const limited = findCondition(status?.conditions, "ScalingLimited");
  const target = slashed({ kind: spec.scaleTargetRef.kind, name: spec.scaleTargetRef.name });
  if (able === undefined) {
    reasons.push({
      code: "MetricsMissing",
      about,
      because: "Its controller has not decided yet.",
      awaits: "its first decision",
      next,
    });
  }
  if (able?.status === "False") {
    const because = `It cannot change the number of pods of ${singleLine(target)}: ${singleLine(able.reason)}${withText(able.message)}.`;
    reasons.push({ code: "MetricsMissing", about, because, ...sinceOf(able.lastTransitionTime), next });
  }
  if (active?.status === "False") {
    const isOff = active.reason === "ScalingDisabled";
    const because = isOff
      ? `It is disabled, because ${singleLine(target)} has 0 replicas.`
      : `It has no metrics for its decision: ${singleLine(active.reason)}${withText(active.message)}.`;
    const remedies = isOff
      ? [
          {
            does: "Give the workload a replica",
            command: kubectlCommand(about.namespace, "scale", target, "--replicas=1"),
          },
        ]
      : [{ does: "See whether the pods have metrics", command: kubectlCommand(about.namespace, "top", "pods") }];
    reasons.push({
      code: isOff ? "Suspended" : "MetricsMissing",
      about,
      because,
      ...sinceOf(active.lastTransitionTime),
      awaits: isOff ? "replicas" : "metrics",
      next,
      remedies,
    });
  }
  if (limited?.status === "True") {
    const because = `Its bounds do not allow as many pods as its metrics require: ${singleLine(limited.reason)}${withText(limited.message)}.`;
    const remedies = [
      {
        does: "Change its bounds or its behavior",
        command: kubectlCommand(about.namespace, "edit", "hpa", about.name),
      },
    ];
    reasons.push({ code: "Limited", about, because, ...sinceOf(limited.lastTransitionTime), next, remedies });
  }
  if (able?.status === "True" && able.reason === "ScaleDownStabilized") {
    const because = `It delays a scale-down, so that a short quiet period removes no pods${withText(able.message)}.`;
    reasons.push({
      code: "Limited",
      about,
      because,
      ...sinceOf(able.lastTransitionTime),
      awaits: "the end of its stabilization window",
      next,
    });
  }
  return reasons;
}

export function autoscalerState({ spec, status }: HorizontalPodAutoscaler): string {
  return `${status?.currentReplicas ?? 0} pods, desires ${status?.desiredReplicas ?? 0} (from ${spec.minReplicas ?? 1} to ${spec.maxReplicas})`;
}
