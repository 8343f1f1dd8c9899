import {
  controllerOf,
  type CronJob,
  cronJobTimeAnnotation,
  formatTimestamp,
  isJobFinished,
  isTimestamp,
  type Job,
  parseSchedule,
  parseTimestamp,
  sameJson,
  utc,
  cronJobs,
  jobs,
} from "@kintsugi/api";
import { type Invariant, type InvariantContext, onKind } from "../invariant.ts";
import { nameOf } from "../observed/known-objects.ts";

const second = 1000;
/** Time for an election, a first list, and the delay from a due time to its Job. */
const settleMs = 60 * second;
/**
 * Longest interval between two passes of the controller: a timer that was set by a wrong clock is
 * late by at most this interval.
 */
const lookAgainMs = 660 * second;

/** The known facts about one CronJob. */
interface Diary {
  /** Times of its schedule for which a Job was created, even if the Job no longer exists. */
  readonly served: Set<number>;
  /** The wall time from which its present spec applies. */
  sinceMs: number;
  /** The wall time at which one of its Jobs was last active. */
  busyMs: number;
}

/**
 * The liveness half of scheduled-times-have-one-job: the last due time of a schedule has a Job.
 * Earlier times may have been missed, and so may a time whose deadline had passed before the quiet
 * period.
 */
export function scheduledTimesAreServed({ quietPeriod, clock, clocks, known }: InvariantContext): Invariant {
  const diaries = new Map<string, Diary>();

  return {
    name: "scheduled-times-are-served",
    never:
      "in a quiet period, a CronJob without a Job for the last time of its schedule 60 s later, unless it is suspended, its deadline has passed, or its policy forbids a second Job",
    observes: [
      onKind(cronJobs, ({ type, object, before }) => {
        const diary = diaryOf(object.metadata.uid ?? "");
        if (type === "put" && !sameJson(object.spec, before?.spec)) diary.sinceMs = clock.nowMs();
        if (type === "delete") diaries.delete(object.metadata.uid ?? "");
      }),
      onKind(jobs, ({ object, before }) => {
        const owner = controllerOf(object);
        if (owner?.kind !== "CronJob") return;
        const time = object.metadata.annotations?.[cronJobTimeAnnotation];
        if (time !== undefined && isTimestamp(time)) diaryOf(owner.uid).served.add(parseTimestamp(time));
        if (before !== undefined && !isJobFinished(before)) diaryOf(owner.uid).busyMs = clock.nowMs();
      }),
    ],
    tick(check) {
      if (quietPeriod.forMs <= settleMs || clocks.steadyForMs("controller-manager") <= lookAgainMs) return;
      for (const cronJob of known.of(cronJobs).values()) {
        const dueMs = lastDueMs(cronJob);
        if (dueMs === undefined) continue;
        const { served } = diaryOf(cronJob.metadata.uid ?? "");
        const isServed = [...served].some((time) => time >= dueMs);
        check(
          isServed
            ? undefined
            : `cron job ${nameOf(cronJob)} has no Job for ${formatTimestamp(dueMs)}, ${settleMs / second} s later`,
        );
      }
    },
  };

  function diaryOf(uid: string): Diary {
    const diary = diaries.get(uid) ?? { served: new Set(), sinceMs: clock.nowMs(), busyMs: -Infinity };
    diaries.set(uid, diary);
    return diary;
  }

  /** The last time for which a Job must exist by now. */
  function lastDueMs(cronJob: CronJob): number | undefined {
    const { schedule: text, suspend, concurrencyPolicy, startingDeadlineSeconds = Infinity } = cronJob.spec;
    const schedule = parseSchedule(text, utc);
    if (suspend === true || cronJob.metadata.deletionTimestamp !== undefined || "problem" in schedule) return undefined;
    const { sinceMs, busyMs } = diaryOf(cronJob.metadata.uid ?? "");
    const offMs = clocks.wallOffMs("controller-manager");
    const nowMs = clock.nowMs();
    if (concurrencyPolicy === "Forbid" && (isAtWork(cronJob) || nowMs - busyMs <= settleMs)) return undefined;
    const dueMs = schedule.latest(sinceMs + offMs, nowMs + offMs - settleMs);
    const actsFromMs = nowMs + offMs - quietPeriod.forMs + settleMs;
    return dueMs === undefined || dueMs + startingDeadlineSeconds * second < actsFromMs ? undefined : dueMs;
  }

  function isAtWork({ metadata }: CronJob): boolean {
    const own = (job: Job) => controllerOf(job)?.uid === metadata.uid && !isJobFinished(job);
    return [...known.of(jobs).values()].some(own);
  }
}
