import { countedNoun, findCondition, instantOf, isJobComplete, isJobFailed, type Job } from "@kintsugi/api";
import { finishedMs, nextFailures, noFailures, waitMs } from "@kintsugi/rules";
import type { ExplainedReason } from "../explanation.ts";
import { kubectlCommand } from "../words/commands.ts";
import { singleLine, aboutObject, withText } from "../words/phrases.ts";
import { dueOf, sinceOf } from "../words/times.ts";
import type { World } from "../world.ts";
import { podsOf, reasonsOfPods } from "./pods-of.ts";
import { refusalReasons } from "./refused.ts";

const controllerName = "kubernetes.io/job-controller";

export function jobReasons(job: Job, world: World): ExplainedReason[] {
  if (isJobComplete(job) || isJobFailed(job)) return finishedReasons(job);
  const about = aboutObject("Job", job);
  const { spec, status } = job;
  if ((spec?.managedBy ?? controllerName) !== controllerName) {
    const because = `It is managed by ${singleLine(spec?.managedBy)}, so the Job controller ignores it.`;
    return [{ code: "Suspended", about, because, awaits: "that controller" }];
  }
  if (spec?.suspend === true) return [suspended(job)];
  const pods = podsOf(job, world);
  return [
    ...endingReasons(job),
    ...refusalReasons(job, "Job", world),
    ...backOffReasons(job, world),
    ...(spec?.parallelism === 0
      ? [
          {
            code: "Suspended",
            about,
            because: "Its parallelism is 0, so it has no pods.",
            remedies: [
              {
                does: "Set its parallelism",
                command: kubectlCommand(about.namespace, "patch", `job/${about.name}`, '-p={"spec":{"parallelism":1}}'),
              },
            ],
          } satisfies ExplainedReason,
        ]
      : []),
    ...reasonsOfPods(
      pods.filter((pod) => pod.status?.phase !== "Failed"),
      world,
    ),
    ...((status?.active ?? 0) > 0 ? [running(job)] : []),
  ];
}

export function jobState(job: Job): string {
  const { active = 0, succeeded = 0, failed = 0 } = job.status ?? {};
  const counts = `${succeeded} of ${job.spec?.completions ?? "any"} done, ${active} active, ${failed} failed`;
  if (isJobComplete(job)) return `complete (${counts})`;
  return isJobFailed(job) ? `failed (${counts})` : counts;
}

function finishedReasons(job: Job): ExplainedReason[] {
  const about = aboutObject("Job", job);
  const { spec, status } = job;
  const end = findCondition(status?.conditions, isJobFailed(job) ? "Failed" : "Complete");
  const ttl = spec?.ttlSecondsAfterFinished;
  const endMs = instantOf(end?.lastTransitionTime);
  const removal =
    ttl === undefined || endMs === undefined
      ? {}
      : { ...dueOf(endMs + ttl * 1000, "time to live"), next: "It is deleted with its pods." };
  if (isJobComplete(job)) {
    return ttl === undefined
      ? []
      : [{ code: "Terminating", about, because: `It is complete, and is kept for ${ttl}s.`, ...removal }];
  }
  return [
    {
      code: "Failed",
      about,
      because: `It failed: ${singleLine(end?.reason)}${withText(end?.message)}.`,
      ...(status?.failedIndexes ? { details: [`failed indexes: ${singleLine(status.failedIndexes)}`] } : {}),
      ...sinceOf(end?.lastTransitionTime),
      next: "A Job that has failed never runs again.",
      ...removal,
      remedies: [
        {
          does: "Read the output of its pods",
          command: kubectlCommand(about.namespace, "logs", `job/${about.name}`, "--all-containers"),
        },
        { does: "Run it again under another name, after you have fixed the cause" },
      ],
    },
  ];
}

function suspended(job: Job): ExplainedReason {
  const about = aboutObject("Job", job);
  return {
    code: "Suspended",
    about,
    because: "It is suspended: it has no pods.",
    ...sinceOf(findCondition(job.status?.conditions, "Suspended")?.lastTransitionTime),
    awaits: "a person or a queue to resume it",
    next: "Its pods are created, and its deadline starts again.",
    remedies: [
      {
        does: "Resume it",
        command: kubectlCommand(about.namespace, "patch", `job/${about.name}`, '-p={"spec":{"suspend":false}}'),
      },
    ],
  };
}

/** The Job has already failed or succeeded, and waits for its last pods to end. */
function endingReasons(job: Job): ExplainedReason[] {
  const about = aboutObject("Job", job);
  const end = (job.status?.conditions ?? []).find(
    ({ type, status }) => status === "True" && (type === "FailureTarget" || type === "SuccessCriteriaMet"),
  );
  if (end === undefined) return [];
  const outcome = end.type === "FailureTarget" ? "fail" : "succeed";
  const because = `It is about to ${outcome}: ${singleLine(end.reason)}${withText(end.message)}.`;
  return [{ code: "Terminating", about, because, ...sinceOf(end.lastTransitionTime), awaits: "its last pods to end" }];
}

/** Applies the Job controller's rule to the existing pods. */
function backOffReasons(job: Job, world: World): ExplainedReason[] {
  const { spec } = job;
  const pods = podsOf(job, world);
  const ended = (phase: string) =>
    pods.filter(({ status }) => status?.phase === phase).toSorted((a, b) => finishedMs(a) - finishedMs(b));
  const failures = nextFailures(noFailures, ended("Succeeded"), ended("Failed"));
  const leftMs = waitMs(failures, world.nowMs);
  if (failures.count === 0 || leftMs === 0 || spec?.backoffLimitPerIndex !== undefined) return [];
  const about = aboutObject("Job", job);
  const limit = spec?.backoffLimit ?? 6;
  const failed = job.status?.failed ?? failures.count;
  return [
    {
      code: "JobBackOff",
      about,
      because: `${countedNoun(failures.count, "pod")} failed in a row, so the next pod has to wait.`,
      awaits: "the end of its back-off",
      ...dueOf(world.nowMs + leftMs, "Job back-off"),
      next: `The controller creates another pod; the Job fails after more than ${countedNoun(limit, "failure")}, and has had ${failed}.`,
      remedies: [
        {
          does: "Read the output of the failed pods",
          command: kubectlCommand(about.namespace, "logs", `job/${about.name}`, "--all-containers"),
        },
      ],
    },
  ];
}

function running(job: Job): ExplainedReason {
  const about = aboutObject("Job", job);
  const { spec, status } = job;
  const startedMs = instantOf(status?.startTime);
  const deadline = spec?.activeDeadlineSeconds;
  const one = status?.active === 1;
  return {
    code: "Running",
    about,
    because: `${countedNoun(status?.active ?? 0, "pod")} of it ${one ? "is" : "are"} active.`,
    ...sinceOf(status?.startTime),
    awaits: "its pods to succeed",
    ...(deadline === undefined || startedMs === undefined
      ? {}
      : {
          ...dueOf(startedMs + deadline * 1000, "Job deadline"),
          next: "At its deadline, its pods are stopped, and it fails.",
        }),
  };
}
