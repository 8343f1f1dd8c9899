import {
  type ContainerStatus,
  containerStories,
  countedNoun,
  formatDuration,
  instantOf,
  isPodBound,
  isPodTerminal,
  type Pod,
} from "@kintsugi/api";
import { crashLoopBackoffMs } from "@kintsugi/rules";
import type { ExplainedReason, ReasonCode, Remedy } from "../explanation.ts";
import { kubectlCommand, slashed } from "../words/commands.ts";
import { newestEvent } from "../words/newest-event.ts";
import { editedOwner } from "../words/owner.ts";
import { singleLine, aboutObject, withText } from "../words/phrases.ts";
import { dueOf } from "../words/times.ts";
import type { World } from "../world.ts";

/** The reasons with which a kubelet reports that it cannot obtain the image. */
const imageReasons = new Set([
  "ErrImagePull",
  "ImagePullBackOff",
  "InvalidImageName",
  "ErrImageNeverPull",
  "ImageInspectError",
  "RegistryUnavailable",
]);
const notStarted = new Set(["", "ContainerCreating", "PodInitializing"]);

/** Explains which containers do not run: back-offs, images, settings, volumes. */
export function containerReasons(pod: Pod, world: World): ExplainedReason[] {
  if (!isPodBound(pod) || isPodTerminal(pod)) return [];
  const statuses = [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])];
  const reasons = statuses.flatMap((status) => waitingReason(pod, status, world) ?? []);
  return reasons.length > 0 ? reasons : startingReasons(pod, world);
}

function waitingReason(pod: Pod, status: ContainerStatus, world: World): ExplainedReason | undefined {
  const { waiting } = status.state ?? {};
  if (waiting === undefined) return undefined;
  const reason = waiting.reason ?? "";
  if (reason === "CrashLoopBackOff") return backOff(pod, status, world);
  if (imageReasons.has(reason)) return imageFailure(pod, status, world);
  if (notStarted.has(reason)) return undefined;
  const about = aboutObject("Pod", pod);
  return {
    code: "CannotStart",
    about,
    because: `Container ${status.name} cannot be started: ${singleLine(reason)}${withText(waiting.message)}.`,
    awaits: "a fix of the cause",
    next: "The kubelet retries every few seconds.",
    remedies: [describe(pod)],
  };
}

function backOff(pod: Pod, status: ContainerStatus, world: World): ExplainedReason {
  const about = aboutObject("Pod", pod);
  const { name, restartCount, lastState, state } = status;
  const [end] = containerStories(pod).find(({ container }) => container === name)?.ends ?? [];
  const last = lastState?.terminated;
  const cause = singleLine(end?.because) || (last === undefined ? "it ended" : `it ended with code ${last.exitCode}`);
  const delayMs = crashLoopBackoffMs(state?.waiting?.message ?? "");
  const endedMs = instantOf(last?.finishedAt);
  const dueMs = delayMs === undefined || endedMs === undefined ? undefined : endedMs + delayMs;
  const { crashLoopBackoffMaxMs: max } = world.timers;
  const next = delayMs === undefined ? max : Math.min(max, delayMs * 2);
  return {
    code: "BackOff",
    about,
    because:
      `Container ${name} keeps ending: ${cause}; it was restarted ${countedNoun(restartCount, "time")}.` +
      `${last?.message === undefined ? "" : ` Its last message${withText(last.message)}.`}`,
    awaits: `the end of its back-off${delayMs === undefined ? "" : ` of ${formatDuration(delayMs)}`}`,
    ...dueOf(dueMs, "restart back-off"),
    next: `The kubelet starts it again; if it ends again, the next wait is ${formatDuration(next)}.`,
    remedies: [
      {
        does: "Read the output of its previous run",
        command: kubectlCommand(about.namespace, "logs", about.name, "-c", name, "--previous"),
      },
      {
        does: "Restart the whole pod now, without waiting, after you have fixed the cause",
        command: kubectlCommand(about.namespace, "delete", "pod", about.name),
      },
    ],
  };
}

function imageFailure(pod: Pod, { name, image, state }: ContainerStatus, world: World): ExplainedReason {
  const about = aboutObject("Pod", pod);
  const { reason = "", message } = state?.waiting ?? {};
  const asked = pod.spec?.containers.find((container) => container.name === name)?.image ?? image;
  const owner = editedOwner(pod, world);
  const target = owner === undefined ? slashed(about) : slashed(owner);
  const tries =
    reason === "ErrImageNeverPull" || reason === "InvalidImageName" ? 0 : world.timers.crashLoopBackoffMaxMs;
  return {
    code: "ImagePullFailed",
    about,
    because: `The image ${singleLine(asked)} of container ${name} is not available: ${singleLine(reason)}${withText(message)}.`,
    awaits: "the image",
    next:
      tries === 0
        ? "The kubelet does not try to pull it."
        : "The kubelet retries after waits that double from 10s to 5m0s.",
    remedies: [
      {
        does: "Name an image that exists",
        command: kubectlCommand(about.namespace, "set", "image", target, `${name}=IMAGE`),
      },
      describe(pod),
    ],
  };
}

/**
 * Explains a bound pod whose containers do not report a failure: its volumes, network or images.
 */
function startingReasons(pod: Pod, world: World): ExplainedReason[] {
  if (pod.status?.phase !== "Pending") return initReasons(pod);
  const about = aboutObject("Pod", pod);
  const failures: readonly (readonly [ReasonCode, readonly string[], string])[] = [
    ["VolumeNotMounted", ["FailedMount", "FailedAttachVolume", "FailedMapVolume"], "A volume cannot be mounted"],
    ["DevicesNotPrepared", ["FailedPrepareDynamicResources"], "Its devices cannot be prepared on the node"],
    [
      "CannotStart",
      ["FailedCreatePodSandBox", "FailedCreatePodContainer"],
      "Its network or its sandbox cannot be created",
    ],
  ];
  for (const [code, reasons, text] of failures) {
    const event = newestEvent(world, about, { reasons });
    if (event === undefined) continue;
    const because = `${text}${withText(event.message)}.`;
    const next = "The kubelet retries every few seconds.";
    return [{ code, about, because, awaits: "a fix of the cause", next, remedies: [describe(pod)] }];
  }
  const init = initReasons(pod);
  if (init.length > 0) return init;
  const pulling = newestEvent(world, about, { reasons: ["Pulling", "Pulled"] });
  const doing =
    pulling?.reason === "Pulling" ? "pulls an image" : "creates its volumes, its network and its containers";
  const because = `The kubelet of ${pod.spec?.nodeName ?? "its node"} ${doing}.`;
  return [{ code: "Starting", about, because, awaits: "the first container to run" }];
}

/** The init container that is running; the other containers wait for it. */
function initReasons(pod: Pod): ExplainedReason[] {
  const running = (pod.status?.initContainerStatuses ?? []).find(
    ({ state, started, ready }) => state?.running !== undefined && started !== true && !ready,
  );
  if (running === undefined) return [];
  const about = aboutObject("Pod", pod);
  return [
    {
      code: "Starting",
      about,
      because: `Init container ${running.name} runs; the later containers wait for its end.`,
      ...(running.state?.running?.startedAt === undefined ? {} : { since: running.state.running.startedAt }),
      awaits: `init container ${running.name} to end with code 0`,
      remedies: [
        { does: "Read its output", command: kubectlCommand(about.namespace, "logs", about.name, "-c", running.name) },
      ],
    },
  ];
}

function describe(pod: Pod): Remedy {
  const { name = "", namespace = "" } = pod.metadata;
  return { does: "Read all events of the pod", command: kubectlCommand(namespace, "describe", "pod", name) };
}
