import { type Event, events, findCondition, nodes, parseTimestamp, type Pod, pods } from "@kintsugi/api";
import { objectsOf, type ClusterPicture } from "../picture/picture.ts";
import { WorkloadIndex } from "./workloads.ts";

/** The observed times of one workload's pods, in milliseconds. */
export interface ShownTimes {
  /** Time from the binding to the start of the last container, without pulls that events show. */
  readonly startMs: readonly number[];
  /** Time from the start of the last container to Ready. */
  readonly readyMs: readonly number[];
  /**
   * Durations of the init containers of pods whose start is unknown because a container has
   * restarted.
   */
  readonly initMs: readonly number[];
  /** Time from the signal to the end of the pod; only a record shows it. */
  readonly stopMs: readonly number[];
  /**
   * The number of moments at which pods of the workload have started, because the pods of one
   * moment share its load.
   */
  readonly moments: number;
}

/** The observed times of a cluster, and the assumed times. */
export interface Timings {
  readonly byWorkload: ReadonlyMap<string, ShownTimes>;
  /** The times of pulls by image, in milliseconds. */
  readonly pulls: ReadonlyMap<string, readonly number[]>;
  /** Bytes per second of the pulls whose size is known; undefined without such pulls. */
  readonly pullBytesPerSecond: number | undefined;
  /** The sizes of images, as reported by nodes and events. */
  readonly imageBytes: ReadonlyMap<string, number>;
  /** Times from the binding of a pod until its volume was attached, in milliseconds. */
  readonly attachMs: readonly number[];
  /** The number of workloads whose start was observed. */
  readonly shown: number;
  /** The number of workloads whose stop was observed. */
  readonly shownStops: number;
  /**
   * Restarts of containers that keep failing: the time for which each container runs, by workload
   * and container.
   */
  readonly failing: ReadonlyMap<string, number>;
  /**
   * Containers that fail occasionally: the mean time between two failures, by workload and
   * container.
   */
  readonly crashing: ReadonlyMap<string, number>;
}

/** The assumed times, used where the cluster does not show times; each report lists them. */
export const assumedTimes = {
  startMs: { fromMs: 1_000, toMs: 4_000 },
  readyMs: { fromMs: 1_000, toMs: 10_000 },
  pullMs: { fromMs: 2_000, toMs: 20_000 },
  stopMs: { fromMs: 500, toMs: 5_000 },
  /** Cloud drivers take about this time to detach a volume and attach it to another node. */
  volumeMs: { fromMs: 10_000, toMs: 20_000 },
  detachMs: 5_000,
} as const;

/** A restart that was repeated this many times is expected to continue. */
const failingRestartsMin = 3;
/** Pods that start within this time of each other count as started at one moment. */
const momentMs = 600_000;
/** A smaller image does not show the rate of a registry. */
const measuredBytesMin = 1024 * 1024;
/** The runtime of a container that fails immediately after its start. */
const failsAtOnceMs = 1_000;
/** A longer wait is a wait for a person instead of a program. */
const shownMaxMs = 30 * 60_000;

/** Reads from a picture how long starts and pulls took. */
export function timingsOf(picture: ClusterPicture): Timings {
  const workloads = new WorkloadIndex(picture.objects);
  const { recorded } = picture;
  const byWorkload = new Map<string, CollectedTimes>();
  const timesOf = (name: string) => {
    const times = byWorkload.get(name) ?? { startMs: [], readyMs: [], initMs: [], stopMs: [], starts: new Set() };
    byWorkload.set(name, times);
    return times;
  };
  const counted = new Set<string>();
  const failing = new Map<string, number>();
  for (const pod of objectsOf(picture, pods)) {
    const { name } = workloads.of(pod);
    for (const { container, ranMs } of failingContainers(pod)) failing.set(`${name} ${container}`, ranMs);
  }
  const told = [...objectsOf(picture, events), ...(recorded?.events ?? [])];
  const pulls = pullsIn(told);
  const attached = attachTimesIn(told);
  const attachMs: number[] = [];
  for (const pod of [...(recorded?.pods ?? []), ...objectsOf(picture, pods)]) {
    const { uid = "" } = pod.metadata;
    const times = startOf(pod);
    const initMs = times === undefined ? initTimeOf(pod) : undefined;
    if (initMs !== undefined) timesOf(workloads.of(pod).name).initMs.push(initMs);
    if (times === undefined || counted.has(uid)) continue;
    if (uid !== "") counted.add(uid);
    const shown = timesOf(workloads.of(pod).name);
    const attachedMs = (attached.get(uid) ?? Number.NaN) - times.scheduledMs;
    if (attachedMs >= 0 && attachedMs <= times.startMs) attachMs.push(attachedMs);
    // The waits for a moved volume and for an absent image are separate times.
    const apartMs = (pulls.ofPods.get(uid) ?? 0) + (attachedMs >= 0 ? attachedMs : 0);
    shown.startMs.push(Math.max(0, times.startMs - apartMs));
    shown.readyMs.push(times.readyMs);
    shown.starts.add(Math.floor(times.scheduledMs / momentMs));
  }
  for (const { pod, stopMs } of recorded?.stops ?? []) timesOf(workloads.of(pod).name).stopMs.push(stopMs);
  const all = [...byWorkload.values()];
  return {
    byWorkload: new Map(
      [...byWorkload].map(([name, { starts, ...times }]) => [name, { ...times, moments: Math.max(1, starts.size) }]),
    ),
    pulls: pulls.byImage,
    pullBytesPerSecond: pulls.bytesPerSecond,
    imageBytes: new Map([...imageSizesOf(picture), ...pulls.sizes]),
    attachMs,
    shown: all.filter(({ startMs }) => startMs.length > 0).length,
    shownStops: all.filter(({ stopMs }) => stopMs.length > 0).length,
    failing,
    crashing: crashRates(picture, { nameOf: (pod) => workloads.of(pod).name, failing }),
  };
}

interface CollectedTimes {
  readonly startMs: number[];
  readonly readyMs: number[];
  readonly initMs: number[];
  readonly stopMs: number[];
  /** The moments at which the workload's pods were bound. */
  readonly starts: Set<number>;
}

/** The times of a pod's first start; a pod that was restarted no longer shows them. */
function startOf({ status }: Pod): { scheduledMs: number; startMs: number; readyMs: number } | undefined {
  const scheduled = findCondition(status?.conditions, "PodScheduled");
  const ready = findCondition(status?.conditions, "Ready");
  const containers = status?.containerStatuses ?? [];
  if (scheduled?.status !== "True" || ready?.status !== "True" || containers.length === 0) return undefined;
  if (containers.some(({ restartCount, state }) => restartCount > 0 || state?.running?.startedAt === undefined))
    return undefined;
  const startedMs = Math.max(...containers.map(({ state }) => msOf(state?.running?.startedAt)));
  const scheduledMs = msOf(scheduled.lastTransitionTime);
  const startMs = startedMs - scheduledMs;
  const readyMs = msOf(ready.lastTransitionTime) - startedMs;
  const isPlausible = startMs >= 0 && readyMs >= 0 && startMs <= shownMaxMs && readyMs <= shownMaxMs;
  return isPlausible ? { scheduledMs, startMs, readyMs } : undefined;
}

/**
 * The time from the pod's sandbox, or its binding before Kubernetes 1.29, until its init containers
 * had ended. Restarts of containers do not change these conditions.
 */
function initTimeOf({ spec, status }: Pod): number | undefined {
  if ((spec?.initContainers ?? []).length === 0) return undefined;
  const [scheduled, sandbox, initialized] = ["PodScheduled", "PodReadyToStartContainers", "Initialized"].map((type) =>
    findCondition(status?.conditions, type),
  );
  if (initialized?.status !== "True") return undefined;
  const from = sandbox?.status === "True" ? sandbox : scheduled;
  const initMs = msOf(initialized.lastTransitionTime) - msOf(from?.lastTransitionTime);
  return initMs >= 0 && initMs <= shownMaxMs ? initMs : undefined;
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

interface Pulls {
  readonly byImage: ReadonlyMap<string, readonly number[]>;
  /** The total time of a pod's pulls, by its UID. */
  readonly ofPods: ReadonlyMap<string, number>;
  readonly sizes: ReadonlyMap<string, number>;
  readonly bytesPerSecond: number | undefined;
}

const pulledPattern =
  /^Successfully pulled image "([^"]+)" in ((?:\d+(?:\.\d+)?[a-zµ]+)+)(?: \([^)]*\))?\.?(?: Image size: (\d+) bytes)?/;

/** `Successfully pulled image "nginx:1" in 1.5s (2.1s including waiting). Image size: 5 bytes.` */
function pullsIn(all: readonly Event[]): Pulls {
  const byImage = new Map<string, number[]>();
  const ofPods = new Map<string, number>();
  const sizes = new Map<string, number>();
  const measured = { bytes: 0, ms: 0 };
  const counted = new Set<string>();
  for (const { reason, message, metadata, involvedObject } of all) {
    if (reason !== "Pulled" || (metadata.uid !== undefined && counted.has(metadata.uid))) continue;
    counted.add(metadata.uid ?? "");
    const [, image, took = "", size] = pulledPattern.exec(message ?? "") ?? [];
    const ms = goDurationMs(took);
    if (image === undefined || ms === undefined) continue;
    byImage.set(image, [...(byImage.get(image) ?? []), ms]);
    const { uid = "" } = involvedObject;
    ofPods.set(uid, (ofPods.get(uid) ?? 0) + ms);
    const bytes = Number(size ?? 0);
    if (bytes < measuredBytesMin || ms === 0) continue;
    sizes.set(image, bytes);
    measured.bytes += bytes;
    measured.ms += ms;
  }
  return {
    byImage,
    ofPods,
    sizes,
    bytesPerSecond: measured.ms === 0 ? undefined : Math.round((1000 * measured.bytes) / measured.ms),
  };
}

/** `AttachVolume.Attach succeeded for volume "pvc-1"`: the last of a pod's volumes, by its UID. */
function attachTimesIn(all: readonly Event[]): Map<string, number> {
  const attached = new Map<string, number>();
  for (const { reason, involvedObject, firstTimestamp, lastTimestamp } of all) {
    const { uid = "" } = involvedObject;
    const atMs = msOf(firstTimestamp ?? lastTimestamp);
    if (reason !== "SuccessfulAttachVolume" || !Number.isFinite(atMs)) continue;
    attached.set(uid, Math.max(atMs, attached.get(uid) ?? 0));
  }
  return attached;
}

function imageSizesOf(picture: ClusterPicture): Map<string, number> {
  const sizes = new Map<string, number>();
  for (const { status } of objectsOf(picture, nodes))
    for (const { names = [], sizeBytes = 0 } of status?.images ?? [])
      for (const name of names) if (sizeBytes > 0) sizes.set(name, sizeBytes);
  return sizes;
}

/**
 * The mean time between two failures of containers that have failed and run again: their age
 * divided by their restarts, and in a record the recorded time divided by the restarts in the
 * record.
 */
function crashRates(
  picture: ClusterPicture,
  { nameOf, failing }: { nameOf: (pod: Pod) => string; failing: ReadonlyMap<string, number> },
): Map<string, number> {
  const { recorded, takenAtMs } = picture;
  const seen = new Map<string, { restarts: number; ms: number }>();
  const add = (key: string, restarts: number, ms: number) => {
    const sum = seen.get(key) ?? { restarts: 0, ms: 0 };
    seen.set(key, { restarts: sum.restarts + restarts, ms: sum.ms + ms });
  };
  for (const pod of objectsOf(picture, pods)) {
    const ageMs = takenAtMs - msOf(pod.status?.startTime ?? pod.metadata.creationTimestamp);
    for (const { name, restartCount, state } of pod.status?.containerStatuses ?? []) {
      if (state?.running === undefined || !(ageMs > 0)) continue;
      const recordedMs = recorded?.durationMs ?? 0;
      const key = `${nameOf(pod)} ${name}`;
      if (recordedMs > 0) add(key, recorded?.restarts.get(`${pod.metadata.uid} ${name}`) ?? 0, recordedMs);
      else add(key, restartCount, ageMs);
    }
  }
  return new Map(
    [...seen].flatMap(([key, { restarts, ms }]): [string, number][] =>
      restarts > 0 && !failing.has(key) ? [[key, Math.round(ms / restarts)]] : [],
    ),
  );
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

/** "1m2.5s" of Go; undefined for other strings. */
export function goDurationMs(text: string): number | undefined {
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(h|ms|m|s|µs|us|ns)/g)];
  if (parts.length === 0 || parts.map(([whole]) => whole).join("") !== text) return undefined;
  return parts.reduce((sum, [, count = "0", unit = "ms"]) => sum + Number(count) * (unitsMs[unit] ?? 0), 0);
}

function msOf(text: string | null | undefined): number {
  return text === undefined || text === null ? Number.NaN : parseTimestamp(text);
}
