import {
  controllerOf,
  countIndexes,
  isIndexedJob,
  isJobFinished,
  type Job,
  type Pod,
  readIndexIntervals,
  type IndexInterval,
  jobs,
  pods,
} from "@kintsugi/api";
import { type Invariant, type InvariantContext, onKind } from "../invariant.ts";
import { nameOf } from "../observed/known-objects.ts";

const trackingFinalizer = "batch.kubernetes.io/job-tracking";
const indexAnnotation = "batch.kubernetes.io/job-completion-index";

/** The known facts about one Job's successes. */
interface Tally {
  /** UIDs of its pods that have succeeded. */
  readonly pods: Set<string>;
  /** Completion indexes of those pods. */
  readonly indexes: Set<number>;
  /** UIDs that its status has listed as uncounted. */
  readonly listed: Set<string>;
}

/**
 * A Job counts each success once. Only a pod whose containers have really succeeded counts, and it
 * keeps its finalizer until the status of the Job has counted it.
 */
export function successesCountOnce({ known }: InvariantContext): Invariant {
  const tallies = new Map<string, Tally>();
  /** UIDs of pods with a container that exited with 0. */
  const endedWell = new Set<string>();

  return {
    name: "successes-count-once",
    never:
      "a Job that counts a success twice, misses a success, or counts a success without a container that succeeded, or a finished Job that continues",
    container({ type, container }) {
      if (type === "stopped" && container.exitCode === 0) endedWell.add(container.uid);
    },
    observes: [
      onKind(pods, ({ type, object, before }, check) => {
        const owner = controllerOf(object);
        if (owner?.kind !== "Job" || type !== "put") return;
        const { uid = "" } = object.metadata;
        const tally = tallyOf(owner.uid);
        const hasSucceeded = object.status?.phase === "Succeeded";
        if (hasSucceeded && before?.status?.phase !== "Succeeded") {
          tally.pods.add(uid);
          const index = indexOf(object);
          if (index !== undefined) tally.indexes.add(index);
          check(
            endedWell.has(uid) ? undefined : `pod ${nameOf(object)} succeeded, but no container of it exited with 0`,
          );
        }
        const isReleased = isTracked(before) && !isTracked(object);
        if (hasSucceeded && isReleased) check(forgotten(object, jobOf(object, owner.name), tally));
      }),
      onKind(jobs, ({ type, object, before }, check) => {
        const tally = tallyOf(object.metadata.uid ?? "");
        for (const uid of object.status?.uncountedTerminatedPods?.succeeded ?? []) tally.listed.add(uid);
        if (type === "put") check(miscount(object, before, tally));
      }),
    ],
  };

  function tallyOf(uid: string): Tally {
    const tally = tallies.get(uid) ?? { pods: new Set(), indexes: new Set(), listed: new Set() };
    tallies.set(uid, tally);
    return tally;
  }

  function jobOf({ metadata }: Pod, name: string): Job | undefined {
    return known.of(jobs).get(`batch/jobs/${metadata.namespace}/${name}`);
  }
}

function isTracked(pod: Pod | undefined): boolean {
  return pod?.metadata.finalizers?.includes(trackingFinalizer) ?? false;
}

function indexOf({ metadata }: Pod): number | undefined {
  const text = metadata.annotations?.[indexAnnotation];
  return text === undefined ? undefined : Number(text);
}

/** A pod may be removed only when the status has counted it, unless its Job ends or has ended. */
function forgotten(pod: Pod, job: Job | undefined, { listed }: Tally): string | undefined {
  if (job === undefined || job.metadata.deletionTimestamp !== undefined || isJobFinished(job)) return undefined;
  const index = indexOf(pod);
  const isCounted =
    isIndexedJob(job) && index !== undefined
      ? indexesOf(job).some(({ first, last }) => first <= index && index <= last)
      : listed.has(pod.metadata.uid ?? "");
  return isCounted ? undefined : `job ${nameOf(job)} releases pod ${nameOf(pod)} but has not counted its success`;
}

function miscount(job: Job, before: Job | undefined, { pods, indexes }: Tally): string | undefined {
  const { status = {} } = job;
  const { succeeded = 0, uncountedTerminatedPods } = status;
  const name = nameOf(job);
  if (before && isJobFinished(before) && !isJobFinished(job)) return `job ${name} had finished but continues`;
  if (before?.spec?.completions === job.spec?.completions && succeeded < (before?.status?.succeeded ?? 0))
    return `job ${name} has ${succeeded} successes after ${before?.status?.succeeded}`;
  if (isIndexedJob(job)) {
    // Intervals may be as long as a status claims, so only indexes of pods are looked up
    // individually.
    const intervals = indexesOf(job);
    const count = countIndexes(intervals);
    const present = [...indexes].filter((index) =>
      intervals.some(({ first, last }) => first <= index && index <= last),
    );
    if (present.length < count) {
      const invented = firstInvented(intervals, indexes);
      return `job ${name} counts index ${invented}, for which no pod has succeeded`;
    }
    return count === succeeded ? undefined : `job ${name} counts ${succeeded} of ${count} indexes`;
  }
  const counted = succeeded + (uncountedTerminatedPods?.succeeded?.length ?? 0);
  return counted > pods.size ? `job ${name} counts ${counted} successes, but ${pods.size} pods succeeded` : undefined;
}

/** The lowest unknown index of the intervals; the search ends at the first unknown index. */
function firstInvented(intervals: readonly IndexInterval[], known: ReadonlySet<number>): number | undefined {
  for (const { first, last } of intervals) {
    for (let index = first; index <= last; index++) if (!known.has(index)) return index;
  }
  return undefined;
}

function indexesOf({ spec, status }: Job): readonly IndexInterval[] {
  const intervals = readIndexIntervals(status?.completedIndexes ?? "", spec?.completions ?? Infinity);
  return "problem" in intervals ? [] : intervals;
}
