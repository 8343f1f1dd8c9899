import { countIndexes, type IndexInterval, jobAnnotations, type Pod } from "@kintsugi/api";
import { type Failures, finishedMs } from "@kintsugi/rules";
import { hasIndex, parseIndexes, withIndexes } from "./indexes.ts";
import { judgeFailure } from "./policies.ts";
import { isIndexed, isPodFailed, isTracked, type JobView, readCount, validIndex } from "./job-view.ts";

/** The results of a Job's pods, including pods that its status does not count yet. */
export interface JobCounts {
  succeeded: number;
  failed: number;
  /** Terminated pods that the status does not contain. */
  newSucceeded: Pod[];
  newFailed: Pod[];
  /** The indexes of the status, and all indexes that have succeeded; empty without indexes. */
  knownIndexes: IndexInterval[];
  succeededIndexes: IndexInterval[];
  /** Set if each index has a limit of failures. */
  failedIndexes: IndexInterval[] | undefined;
  /**
   * The failed pods by index that are retained until they have been replaced, because their
   * annotations contain the index's number of failures.
   */
  toReplace: ReadonlyMap<number, Pod>;
}

export function countPods(view: JobView): JobCounts {
  const { spec, status } = view;
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
  const ended = (uids: readonly string[], has: (pod: Pod) => boolean) =>
    trackedPods(view).filter((pod) => has(pod) && !uids.includes(pod.metadata.uid ?? ""));
  const newSucceeded = ended(succeeded, (pod) => pod.status?.phase === "Succeeded");
  const newFailed = ended(failed, (pod) => isPodFailed(pod, spec));
  const counted = newFailed.filter((pod) => judgeFailure(spec, pod).counts).length;
  const indexes = countByIndex(view);
  return {
    succeeded: isIndexed(spec)
      ? countIndexes(indexes.succeededIndexes)
      : (status.succeeded ?? 0) + newSucceeded.length + succeeded.length,
    failed: (status.failed ?? 0) + counted + failed.length,
    newSucceeded,
    newFailed,
    ...indexes,
  };
}

/** The pods that still have to be counted; in an Indexed Job, only pods with a valid index. */
function trackedPods(view: JobView): Pod[] {
  return view.pods.filter(
    (pod) => isTracked(view, pod) && (!isIndexed(view.spec) || validIndex(pod, view.spec) !== undefined),
  );
}

type IndexCounts = Pick<JobCounts, "knownIndexes" | "succeededIndexes" | "failedIndexes" | "toReplace">;

function countByIndex(view: JobView): IndexCounts {
  const { spec, status } = view;
  const { completions = 0 } = spec;
  if (!isIndexed(spec)) {
    return { knownIndexes: [], succeededIndexes: [], failedIndexes: undefined, toReplace: new Map() };
  }
  const tracked = trackedPods(view);
  const indexesOf = (pods: readonly Pod[]) => pods.map((pod) => validIndex(pod, spec) ?? 0);
  const knownIndexes = parseIndexes(status.completedIndexes, completions);
  const succeeded = tracked.filter((pod) => pod.status?.phase === "Succeeded");
  const succeededIndexes = withIndexes(knownIndexes, indexesOf(succeeded));
  if (spec.backoffLimitPerIndex === undefined) {
    return { knownIndexes, succeededIndexes, failedIndexes: undefined, toReplace: new Map() };
  }
  const failed = tracked.filter((pod) => isIndexFailed(view, pod));
  const failedIndexes = withIndexes(parseIndexes(status.failedIndexes, completions), indexesOf(failed));
  const settled = { succeededIndexes, failedIndexes };
  return { knownIndexes, ...settled, toReplace: podsToReplace(view, settled) };
}

function isIndexFailed({ spec }: JobView, pod: Pod): boolean {
  if (!isPodFailed(pod, spec)) return false;
  const { counts, action } = judgeFailure(spec, pod);
  if (action === "FailIndex") return true;
  return counts && indexFailures(pod).counted >= (spec.backoffLimitPerIndex ?? 0);
}

function podsToReplace(
  view: JobView,
  { succeededIndexes, failedIndexes }: { succeededIndexes: IndexInterval[]; failedIndexes: IndexInterval[] },
): Map<number, Pod> {
  const active = new Set(view.active.map((pod) => validIndex(pod, view.spec)));
  const chosen = new Map<number, Pod>();
  for (const pod of trackedPods(view)) {
    const index = validIndex(pod, view.spec);
    if (index === undefined || !isPodFailed(pod, view.spec) || active.has(index)) continue;
    if (hasIndex(succeededIndexes, index) || hasIndex(failedIndexes, index)) continue;
    const other = chosen.get(index);
    if (other === undefined || isLater(pod, other)) chosen.set(index, pod);
  }
  return chosen;
}

function isLater(pod: Pod, other: Pod): boolean {
  return failuresOf(other) <= failuresOf(pod) && finishedMs(pod) >= finishedMs(other);
}

/**
 * Earlier failures of the pod's index: the counted failures, and the failures that a rule ignores.
 */
export function indexFailures({ metadata }: Pod): { counted: number; ignored: number } {
  const { annotations = {} } = metadata;
  return {
    counted: readCount(annotations[jobAnnotations.indexFailures]) ?? 0,
    ignored: readCount(annotations[jobAnnotations.indexIgnoredFailures]) ?? 0,
  };
}

function failuresOf(pod: Pod): number {
  const { counted, ignored } = indexFailures(pod);
  return counted + ignored;
}

/** The consecutive failures of an index whose last pod has failed. */
export function failuresWith(pod: Pod | undefined): Failures {
  return pod === undefined ? { count: 0, lastMs: 0 } : { count: failuresOf(pod) + 1, lastMs: finishedMs(pod) };
}
