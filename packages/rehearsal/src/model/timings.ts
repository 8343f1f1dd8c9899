import { type Event, events, findCondition, parseTimestamp, type Pod, pods } from "@kintsugi/api";
import { objectsOf, type ClusterPicture } from "../picture/picture.ts";
import { WorkloadIndex } from "./workloads.ts";

/** The source of randomness, as in `@kintsugi/clock`. */
export interface Chance {
  /** A number from 0 to below 1. */
  float(): number;
}

/** The observed times of one workload's pods, in milliseconds. */
interface ShownTimes {
  /** Time from the binding to the start of the last container, with pulls. */
  readonly startMs: readonly number[];
  /** Time from the start of the last container to Ready. */
  readonly readyMs: readonly number[];
  /** Time from the signal to the end of the pod; only a record shows it. */
  readonly stopMs: readonly number[];
}

/** The times that a cluster has shown, and those that are assumed. */
export interface Timings {
  readonly byWorkload: ReadonlyMap<string, ShownTimes>;
  /** The times of pulls by image, in milliseconds. */
  readonly pulls: ReadonlyMap<string, readonly number[]>;
  /** The number of workloads whose start was seen. */
  readonly shown: number;
  /** The number of workloads whose stop was seen. */
  readonly shownStops: number;
  /**
   * Restarts of containers that go on failing: the time that each runs, by workload and container.
   */
  readonly failing: ReadonlyMap<string, number>;
}

/** The assumed times where the cluster shows none; each report states them. */
export const assumedTimes = {
  startMs: { fromMs: 1_000, toMs: 4_000 },
  readyMs: { fromMs: 1_000, toMs: 10_000 },
  pullMs: { fromMs: 2_000, toMs: 20_000 },
  stopMs: { fromMs: 500, toMs: 5_000 },
} as const;

/** A restart that was so many times repeated continues. */
const failingRestartsMin = 3;
/** Kubernetes writes whole seconds: a time is known to this. */
const roundingMs = 1_000;
/** The runtime of a container that fails as soon as it is started. */
const failsAtOnceMs = 1_000;
/** A longer wait is a wait for a person, and not for a program. */
const shownMaxMs = 30 * 60_000;

/** Reads from a picture how long starts and pulls have taken there. */
export function timingsOf(picture: ClusterPicture): Timings {
  const workloads = new WorkloadIndex(picture.objects);
  const { recorded } = picture;
  const byWorkload = new Map<string, { startMs: number[]; readyMs: number[]; stopMs: number[] }>();
  const timesOf = (name: string) => {
    const times = byWorkload.get(name) ?? { startMs: [], readyMs: [], stopMs: [] };
    byWorkload.set(name, times);
    return times;
  };
  const counted = new Set<string>();
  const failing = new Map<string, number>();
  for (const pod of objectsOf(picture, pods)) {
    const { name } = workloads.of(pod);
    for (const { container, ranMs } of failingContainers(pod)) failing.set(`${name} ${container}`, ranMs);
  }
  for (const pod of [...(recorded?.pods ?? []), ...objectsOf(picture, pods)]) {
    const { uid = "" } = pod.metadata;
    const times = startOf(pod);
    if (times === undefined || counted.has(uid)) continue;
    if (uid !== "") counted.add(uid);
    const shown = timesOf(workloads.of(pod).name);
    shown.startMs.push(times.startMs);
    shown.readyMs.push(times.readyMs);
  }
  for (const { pod, stopMs } of recorded?.stops ?? []) timesOf(workloads.of(pod).name).stopMs.push(stopMs);
  const all = [...byWorkload.values()];
  return {
    byWorkload,
    pulls: pullsIn([...objectsOf(picture, events), ...(recorded?.events ?? [])]),
    shown: all.filter(({ startMs }) => startMs.length > 0).length,
    shownStops: all.filter(({ stopMs }) => stopMs.length > 0).length,
    failing,
  };
}

/** The times of a pod's first start; a pod that was restarted does not show them any longer. */
function startOf({ status }: Pod): { startMs: number; readyMs: number } | undefined {
  const scheduled = findCondition(status?.conditions, "PodScheduled");
  const ready = findCondition(status?.conditions, "Ready");
  const containers = status?.containerStatuses ?? [];
  if (scheduled?.status !== "True" || ready?.status !== "True" || containers.length === 0) return undefined;
  if (containers.some(({ restartCount, state }) => restartCount > 0 || state?.running?.startedAt === undefined))
    return undefined;
  const startedMs = Math.max(...containers.map(({ state }) => msOf(state?.running?.startedAt)));
  const startMs = startedMs - msOf(scheduled.lastTransitionTime);
  const readyMs = msOf(ready.lastTransitionTime) - startedMs;
  const isPlausible = startMs >= 0 && readyMs >= 0 && startMs <= shownMaxMs && readyMs <= shownMaxMs;
  return isPlausible ? { startMs, readyMs } : undefined;
}

function failingContainers({ status }: Pod): { container: string; ranMs: number }[] {
  return (status?.containerStatuses ?? []).flatMap(({ name, restartCount, state, lastState }) => {
    const isFailing = state?.waiting?.reason === "CrashLoopBackOff" && restartCount >= failingRestartsMin;
    const { startedAt, finishedAt } = lastState?.terminated ?? {};
    if (!isFailing) return [];
    const ranMs = msOf(finishedAt) - msOf(startedAt);
    return [{ container: name, ranMs: Number.isFinite(ranMs) && ranMs > 0 ? ranMs : failsAtOnceMs }];
  });
}

/** `Successfully pulled image "nginx:1" in 1.5s (2.1s including waiting). Image size: …` */
function pullsIn(all: readonly Event[]): Map<string, number[]> {
  const pulls = new Map<string, number[]>();
  const counted = new Set<string>();
  for (const { reason, message, metadata } of all) {
    if (reason !== "Pulled" || (metadata.uid !== undefined && counted.has(metadata.uid))) continue;
    counted.add(metadata.uid ?? "");
    const [, image, took = ""] = /^Successfully pulled image "([^"]+)" in ([0-9a-zµ.]+)/.exec(message ?? "") ?? [];
    const ms = goDurationMs(took);
    if (image !== undefined && ms !== undefined) pulls.set(image, [...(pulls.get(image) ?? []), ms]);
  }
  return pulls;
}

const unitsMs: Readonly<Record<string, number>> = {
  h: 3_600_000,
  m: 60_000,
  s: 1000,
  ms: 1,
  µs: 0.001,
  us: 0.001,
  ns: 0.000_001,
};

/** "1m2.5s" of Go; undefined where the text is none. */
function goDurationMs(text: string): number | undefined {
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(h|ms|m|s|µs|us|ns)/g)];
  if (parts.length === 0 || parts.map(([whole]) => whole).join("") !== text) return undefined;
  return parts.reduce((sum, [, count = "0", unit = "ms"]) => sum + Number(count) * (unitsMs[unit] ?? 0), 0);
}

function msOf(text: string | null | undefined): number {
  return text === undefined || text === null ? Number.NaN : parseTimestamp(text);
}

/** Draws the times of one pod: one of those that its workload has shown, or an assumed one. */
export function drawPodTimes(
  { byWorkload }: Timings,
  { workload, pod }: { workload: string; pod: Pod },
  random: Chance,
): { startMs: number; readyMs: number; stopMs: number } {
  const shown = byWorkload.get(workload);
  const stops = shown?.stopMs ?? [];
  const drawnMs = between(assumedTimes.stopMs, random);
  const seenMs = stops.length === 0 ? drawnMs : (stops[Math.floor(random.float() * stops.length)] ?? drawnMs);
  const stopMs = Math.min(seenMs, (pod.spec?.terminationGracePeriodSeconds ?? 30) * 1000);
  if (shown !== undefined && shown.startMs.length > 0) {
    const index = Math.floor(random.float() * shown.startMs.length);
    return {
      startMs: jittered(shown.startMs[index] ?? 0, random),
      readyMs: jittered(shown.readyMs[index] ?? 0, random),
      stopMs,
    };
  }
  const hasProbe = pod.spec?.containers.some(({ readinessProbe }) => readinessProbe !== undefined) === true;
  const delays = (pod.spec?.containers ?? []).map(
    ({ readinessProbe }) => (readinessProbe?.initialDelaySeconds ?? 0) * 1000,
  );
  return {
    startMs: between(assumedTimes.startMs, random),
    readyMs: hasProbe ? Math.max(0, ...delays) + between(assumedTimes.readyMs, random) : 0,
    stopMs,
  };
}

/**
 * Draws the time of a pull. Where starts of the workloads were seen they hold the pulls already, so
 * an image that no event tells of takes no further time there.
 */
export function drawPullMs({ pulls, shown }: Timings, image: string, random: Chance): number {
  const seen = pulls.get(image) ?? [];
  if (seen.length > 0) return seen[Math.floor(random.float() * seen.length)] ?? 0;
  return shown > 0 ? 0 : between(assumedTimes.pullMs, random);
}

function between({ fromMs, toMs }: { fromMs: number; toMs: number }, random: Chance): number {
  return Math.round(fromMs + random.float() * (toMs - fromMs));
}

function jittered(ms: number, random: Chance): number {
  return Math.max(0, Math.round(ms + (random.float() - 0.5) * roundingMs));
}
