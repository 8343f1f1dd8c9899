import {
  type ApiObject,
  controllerOf,
  countedNoun,
  findCondition,
  isPodAvailable,
  isPodReady,
  isPodTerminal,
  parseTimestamp,
  type Pod,
} from "@kintsugi/api";
import type { ExplainedReason } from "../explanation.ts";
import { podReasons } from "../pod/explain-pod.ts";
import { listed, aboutObject } from "../words/phrases.ts";
import { dueOf } from "../words/times.ts";
import { listOf, type World } from "../world.ts";

/** Number of different reasons of a workload's pods; further reasons would hide the first. */
const groupsMax = 5;
/**
 * Number of pods that are explained one by one; further pods are only counted, and are likely to
 * wait for the same reason.
 */
const explainedMax = 200;

/** The pods that the object controls. */
export function podsOf({ metadata }: ApiObject, world: World): Pod[] {
  return listOf(world, "pods").filter((pod) => controllerOf(pod)?.uid === metadata.uid);
}

/** The reasons why pods are not in their desired state: each reason once, with all its pods. */
export function reasonsOfPods(pods: readonly Pod[], world: World): ExplainedReason[] {
  const troubled = pods.filter((pod) => !isPodReady(pod) && pod.status?.phase !== "Succeeded");
  const groups = new Map<string, { reason: ExplainedReason; pods: string[] }>();
  for (const pod of troubled.slice(0, explainedMax)) {
    const [first] = podReasons(pod, world);
    if (first === undefined) continue;
    const { name } = aboutObject("Pod", pod);
    const key = `${first.code} ${withoutName(first.because, name)} ${(first.details ?? []).join(" ")}`;
    const group = groups.get(key) ?? { reason: first, pods: [] };
    group.pods.push(name);
    groups.set(key, group);
  }
  return [...groups.values()].slice(0, groupsMax).map(({ reason, pods: names }) => forPods(reason, names));
}

/**
 * The text without the pod's name as a whole word, so that messages about two pods are the same.
 */
function withoutName(text: string, name: string): string {
  const word = name.replaceAll(/[^\w-]/g, "\\$&");
  return text.replaceAll(new RegExp(`(?<![\\w.-])${word}(?![\\w-])`, "g"), "");
}

function forPods(reason: ExplainedReason, names: readonly string[]): ExplainedReason {
  if (names.length === 1) {
    const isOwn = reason.about.kind === "Pod";
    const [name = ""] = names;
    return isOwn ? reason : { ...reason, details: [`waiting pod: ${name}`, ...(reason.details ?? [])] };
  }
  return {
    ...reason,
    details: [`the same applies to ${countedNoun(names.length, "pod")}: ${listed(names)}`, ...(reason.details ?? [])],
  };
}

/** Pods that are ready, but not yet for the workload's minimum time. */
export function availabilityReasons(
  object: ApiObject,
  { kind, pods, minReadySeconds }: { kind: string; pods: readonly Pod[]; minReadySeconds: number },
  world: World,
): ExplainedReason[] {
  const young = pods.filter((pod) => isPodReady(pod) && !isPodAvailable(pod, minReadySeconds, world.nowMs));
  if (young.length === 0) return [];
  const ends = young.flatMap((pod) => {
    const since = findCondition(pod.status?.conditions, "Ready")?.lastTransitionTime;
    return since === undefined ? [] : [parseTimestamp(since) + minReadySeconds * 1000];
  });
  const one = young.length === 1;
  const because = `${countedNoun(young.length, "pod")} ${one ? "is" : "are"} ready, but ${one ? "counts" : "count"} as available only after ${minReadySeconds}s.`;
  const about = aboutObject(kind, object);
  return [
    {
      code: "NotYetAvailable",
      about,
      because,
      awaits: "this time to pass",
      ...dueOf(ends.length === 0 ? undefined : Math.max(...ends), "minimum ready time"),
    },
  ];
}

/** "2 of 3 pods ready". */
export function readiness(pods: readonly Pod[], wanted: number): string {
  const ready = pods.filter(
    (pod) => isPodReady(pod) && !isPodTerminal(pod) && pod.metadata.deletionTimestamp === undefined,
  );
  return `${ready.length} of ${countedNoun(wanted, "pod")} ready`;
}
