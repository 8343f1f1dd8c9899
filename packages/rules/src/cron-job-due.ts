import {
  type CronJob,
  type CronSchedule,
  cronJobTimeAnnotation,
  findTimeZone,
  instantOf,
  type Job,
  parseSchedule,
  utc,
} from "@kintsugi/api";

const minuteMs = 60_000;

/**
 * The Job's name contains the minute of the schedule, so if two controllers start a Job, one of the
 * Jobs is rejected.
 */
export function jobNameOf({ metadata }: CronJob, startMs: number): string {
  return `${metadata.name ?? ""}-${Math.floor(startMs / minuteMs)}`;
}

/** Number of missed times beyond which upstream warns. */
const missedTimesMax = 100;

/** An event of a CronJob. */
export interface CronJobNote {
  type: "Normal" | "Warning";
  reason: string;
  message: string;
}

interface Due {
  /** A Job has to be started for this time; undefined if a Job is not due. */
  dueMs?: number | undefined;
  /** The schedule is next due at this time; undefined if it is never due. */
  nextMs?: number | undefined;
  notes: CronJobNote[];
}

/** Finds the time of the schedule that is due; if several times were missed, only the last. */
export function planSchedule(cronJob: CronJob, lastMs: number | undefined, nowMs: number): Due {
  const { spec, metadata } = cronJob;
  if (spec.suspend === true || metadata.deletionTimestamp !== undefined) return { notes: [] };
  const schedule = readSchedule(spec);
  if ("reason" in schedule) return { notes: [schedule] };
  const startMs = lastMs ?? instantOf(metadata.creationTimestamp) ?? nowMs;
  const latestMs = schedule.latest(startMs, nowMs);
  const nextMs = schedule.next(latestMs ?? startMs);
  if (latestMs === undefined && nextMs === undefined) {
    const problem = "time difference between two schedules is less than 1 second";
    return { notes: [warning("InvalidSchedule", `invalid schedule: ${spec.schedule} : ${problem}`)] };
  }
  const { startingDeadlineSeconds: deadline } = spec;
  const oldestMs = deadline === undefined ? startMs : Math.max(startMs, nowMs - deadline * 1000);
  if (latestMs === undefined || (deadline !== undefined && latestMs < nowMs - deadline * 1000)) {
    return { nextMs, notes: [] };
  }
  return { dueMs: latestMs, nextMs, notes: areTooManyMissed(schedule, oldestMs, nowMs) ? [tooManyMissed] : [] };
}

const tooManyMissed = warning(
  "TooManyMissedTimes",
  "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew",
);

/**
 * Returns the time for which the last known Job was started, even if the status does not show it
 * yet.
 */
export function lastStartedMs(cronJob: CronJob, owned: readonly Job[], nowMs: number): number | undefined {
  const times = owned.map((job) => startedForMs(cronJob, job));
  // A time that another client invented for a Job does not block the schedule.
  const past = times.filter((time) => time !== undefined && time <= nowMs);
  const known = [instantOf(cronJob.status?.lastScheduleTime), ...past].filter((time) => time !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
}

/** Returns the time of the schedule for which a Job was started; undefined if a client made it. */
export function startedForMs(cronJob: CronJob, { metadata }: Job): number | undefined {
  const time = instantOf(metadata.annotations?.[cronJobTimeAnnotation]);
  return time !== undefined && metadata.name === jobNameOf(cronJob, time) ? time : undefined;
}

function readSchedule({ schedule, timeZone }: NonNullable<CronJob["spec"]>): CronSchedule | CronJobNote {
  const zone = timeZone === undefined ? utc : findTimeZone(timeZone);
  if (zone === undefined) {
    return warning("UnknownTimeZone", `invalid timeZone: ${JSON.stringify(timeZone)}: unknown time zone ${timeZone}`);
  }
  const parsed = parseSchedule(schedule, zone);
  if (!("problem" in parsed)) return parsed;
  return warning("UnparseableSchedule", `unparseable schedule: ${JSON.stringify(schedule)} : ${parsed.problem}`);
}

/**
 * Estimates the number of missed times from the distance between the first two times, as in
 * upstream's `mostRecentScheduleTime`.
 */
function areTooManyMissed(schedule: CronSchedule, oldestMs: number, nowMs: number): boolean {
  const first = schedule.next(oldestMs);
  const second = first === undefined ? undefined : schedule.next(first);
  if (first === undefined || second === undefined) return false;
  return Math.floor((nowMs - first) / (second - first)) + 1 > missedTimesMax;
}

function warning(reason: string, message: string): CronJobNote {
  return { type: "Warning", reason, message };
}
