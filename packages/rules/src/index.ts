export { type CronJobNote, jobNameOf, lastStartedMs, planSchedule, startedForMs } from "./cron-schedule.ts";
export { judgeEligibility } from "./daemon-eligibility.ts";
export { withDaemonTolerations } from "./daemon-tolerations.ts";
export { evictionsPausedCondition, pauseOf, saysPaused, withEvictionsPaused } from "./evictions-paused.ts";
export { type Failures, finishedMs, nextFailures, noFailures, waitMs } from "./job-backoff.ts";
export { crashLoopBackoffMs, crashLoopMessage } from "./restart-backoff.ts";
export { isSilent, planWaiting, silentNodeRemedies, waitingForNodeCondition } from "./silent-node.ts";
export { exposedForMs, type ExposedSince, planEviction, troubleOf } from "./taint-eviction.ts";
export { type Disruption, planDisruption, ZoneCounts, type ZoneOptions, zoneOf } from "./zones.ts";
