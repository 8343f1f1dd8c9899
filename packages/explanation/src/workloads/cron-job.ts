import { controllerOf, type CronJob, isJobFinished, type Job } from "@kintsugi/api";
import { lastStartedMs, planSchedule } from "@kintsugi/rules";
import type { ExplainedReason } from "../explanation.ts";
import { kubectlCommand } from "../words/commands.ts";
import { listed, singleLine, aboutObject, withText } from "../words/phrases.ts";
import { dueOf, sinceOf } from "../words/times.ts";
import { listOf, type World } from "../world.ts";
import { jobReasons } from "./job.ts";

export function cronJobReasons(cronJob: CronJob, world: World): ExplainedReason[] {
  const about = aboutObject("CronJob", cronJob);
  const { spec } = cronJob;
  const jobs = jobsOf(cronJob, world);
  const running = jobs.filter((job) => !isJobFinished(job));
  if (spec.suspend === true) {
    const because = "It is suspended: it starts no Jobs.";
    const next = "It starts a Job at the next scheduled time. Of the missed times, at most the last still gets a Job.";
    const command = kubectlCommand(about.namespace, "patch", `cronjob/${about.name}`, '-p={"spec":{"suspend":false}}');
    return [
      {
        code: "Suspended",
        about,
        because,
        awaits: "a person to resume it",
        next,
        remedies: [{ does: "Resume it", command }],
      },
    ];
  }
  const due = planSchedule(cronJob, lastStartedMs(cronJob, jobs, world.nowMs), world.nowMs);
  return [
    ...due.notes.map(({ reason, message }): ExplainedReason => ({
      code: reason === "TooManyMissedTimes" ? "MissedRun" : "ScheduleUnreadable",
      about,
      because: `${singleLine(reason)}${withText(message)}.`,
      remedies: [
        { does: "Change its schedule", command: kubectlCommand(about.namespace, "edit", `cronjob/${about.name}`) },
      ],
    })),
    ...(due.dueMs === undefined ? [] : [overdue(cronJob, due.dueMs, running)]),
    ...(due.nextMs === undefined ? [] : [next(cronJob, due.nextMs, running)]),
    ...running.flatMap((job) => jobReasons(job, world)),
  ];
}

export function cronJobState(cronJob: CronJob, world: World): string {
  const running = jobsOf(cronJob, world).filter((job) => !isJobFinished(job));
  const last = cronJob.status?.lastScheduleTime;
  return `${running.length === 0 ? "no active Job" : `active: ${listed(running.map(({ metadata }) => metadata.name ?? ""))}`}${last ? `, last started for ${last}` : ", never started"}`;
}

function jobsOf({ metadata }: CronJob, world: World): Job[] {
  return listOf(world, "jobs").filter((job) => controllerOf(job)?.uid === metadata.uid);
}

/** A scheduled time has passed, and its Job has not been created yet. */
function overdue(cronJob: CronJob, dueMs: number, running: readonly Job[]): ExplainedReason {
  const about = aboutObject("CronJob", cronJob);
  const isHeld = cronJob.spec.concurrencyPolicy === "Forbid" && running.length > 0;
  const { due } = dueOf(dueMs, "schedule");
  const since = sinceOf(due?.at);
  if (isHeld) {
    const names = listed(running.map(({ metadata }) => metadata.name ?? ""));
    const because = `A Job is due, but ${names} still runs, and the concurrency policy is Forbid.`;
    return {
      code: "MissedRun",
      about,
      because,
      ...since,
      awaits: `the end of ${names}`,
      next: "It starts the Job that is due then, if its deadline for a late start allows it.",
    };
  }
  const because = "A Job is due, and has not been started yet.";
  return {
    code: "MissedRun",
    about,
    because,
    ...since,
    awaits: "its controller",
    remedies: [{ does: "See whether the controller-manager runs", command: "kintsugi status" }],
  };
}

function next(cronJob: CronJob, nextMs: number, running: readonly Job[]): ExplainedReason {
  const about = aboutObject("CronJob", cronJob);
  const { schedule, timeZone, concurrencyPolicy } = cronJob.spec;
  const replaced = concurrencyPolicy === "Replace" && running.length > 0;
  return {
    code: "NextRun",
    about,
    because: `Its schedule is "${singleLine(schedule)}"${timeZone === undefined ? ", in UTC" : ` in the time zone ${singleLine(timeZone)}`}.`,
    awaits: "the next time of its schedule",
    ...dueOf(nextMs, "schedule"),
    next: replaced ? "It ends the Job that still runs, and starts the next Job." : "It starts a Job.",
    remedies: [
      {
        does: "Run it now",
        command: kubectlCommand(
          about.namespace,
          "create",
          "job",
          `--from=cronjob/${about.name}`,
          `${about.name}-by-hand`,
        ),
      },
    ],
  };
}
