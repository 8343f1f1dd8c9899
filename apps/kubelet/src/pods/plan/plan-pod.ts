import type { Container, ContainerStatus } from "@kintsugi/api";
import { type BoundPod, formatPod, initContainersOf, isRestartableInit } from "../../model/bound-pod.ts";
import { currentLifeOf, type PodLife, podLife } from "../../model/pod-life.ts";
import { annotationNames, containerHash } from "../../model/labels.ts";
import { nextStreak, streakOfChanged } from "../../model/escalation.ts";
import {
  findContainer,
  inNewestSandbox,
  isRunning,
  mayRun,
  nameOf,
  type ObservedContainer,
  type ObservedPod,
} from "../../model/observed-pod.ts";
import { nextAttempt } from "./next-attempt.ts";
import { planEscalation } from "./plan-escalation.ts";
import { planInitContainers } from "./plan-init-containers.ts";
import {
  type ContainerResize,
  nothingResized,
  planContainerResize,
  type ResizeRecord,
  sharesBackoff,
} from "../../model/allocation.ts";
import { backoffOf, decideRestart, type RestartBackoffOptions, startAfterChange } from "./restart-backoff.ts";
import { sandboxVerdict } from "./sandbox-verdict.ts";
import { outlivesItsSandbox, restartsAfter, restartsWhenKilled, shouldRestart } from "../../model/should-restart.ts";
import type { ContainerRole, PodStep, ProbeVerdicts } from "./steps.ts";

export interface PlanInput {
  pod: BoundPod;
  observed: ObservedPod;
  probes: ProbeVerdicts;
  /** The API's statuses of the pod's containers, from all three lists. */
  recorded: readonly ContainerStatus[];
  nowMs: number;
  /** The allocated and actuated resources of a resized pod. */
  resizes?: ResizeRecord;
}

/**
 * Computes the steps from the spec and the runtime's state, as upstream's computePodActions does.
 */
export function planPod(input: PlanInput, nodeBackoff: RestartBackoffOptions): PodStep[] {
  const { pod, observed } = input;
  const options = backoffOf(pod, nodeBackoff);
  const life = podLife(pod, observed);
  const lived: LivedPlan = { life, current: currentLifeOf(observed, life), options, ...input };
  const escalation = planEscalation({ pod, current: lived.current, life, options }, input.nowMs);
  if (escalation) {
    const next = podLife(pod, observed, escalation.podRestarts);
    const anew: LivedPlan = { ...lived, life: next, current: currentLifeOf(observed, next) };
    const { container, message } = escalation;
    const stop: PodStep[] = [{ kind: "escalate", container, message }, { kind: "reset-volumes" }];
    const attempt = (observed.sandboxes[0]?.metadata.attempt ?? -1) + 1;
    return [...stop, ...planStartInNewSandbox(anew, attempt)];
  }
  const sandbox = sandboxVerdict(pod, observed);
  if (sandbox.kind === "create") return planFromScratch(lived, sandbox);
  const leftovers = planLeftovers(lived);
  if (leftovers.length > 0) return leftovers;

  const steps = planEphemeral(input);
  // An init container whose sandbox has ended has to run again for the new sandbox.
  const init = planInitContainers(pod, inNewestSandbox(lived.current), input.probes);
  if (init.failed) return [{ kind: "stop-pod", because: "nothing-to-run" }];
  steps.push(...init.kills);
  for (const container of init.start) steps.push(planStart(lived, container));
  if (!init.initialized) return steps;

  const regular = planRegular(lived);
  if (regular.kept === 0 && !regular.steps.some(startsSomething)) {
    return [{ kind: "stop-pod", because: "nothing-to-run" }];
  }
  return [...steps, ...planSidecarResizes(lived), ...regular.steps];
}

interface LivedPlan extends PlanInput {
  life: PodLife;
  /** The observed sandboxes and containers of the current life. */
  current: ObservedPod;
  options: RestartBackoffOptions;
}

/** The pod has no usable sandbox, so its remaining containers are stopped and it restarts. */
function planFromScratch(input: LivedPlan, sandbox: { attempt: number; replaces: string | undefined }): PodStep[] {
  const { pod, observed, current, life } = input;
  const stop: PodStep[] = [];
  if (life.restartRequested) stop.push({ kind: "stop-pod", because: "restart-requested" }, { kind: "reset-volumes" });
  else if (observed.sandboxes.length > 0) stop.push({ kind: "stop-pod", because: "sandbox-changed" });
  if (!outlivesItsSandbox(pod) && sandbox.attempt !== 0 && current.containers.length > 0) return stop;
  const toStart = containersToStart(input);
  if (toStart.length === 0 && planInitContainers(pod, current, input.probes).initialized) return stop;
  return [...stop, ...planStartInNewSandbox(input, sandbox.attempt)];
}

function planStartInNewSandbox(input: LivedPlan, attempt: number): PodStep[] {
  const first = initContainersOf(input.pod)[0];
  const containers = first ? [{ container: first, role: roleOfInit(first) }] : containersToStart(input).map(asRegular);
  return [
    { kind: "create-sandbox", attempt, podRestarts: input.life.podRestarts },
    ...containers.map((each) => planStart(input, each)),
  ];
}

function containersToStart({ pod, current }: LivedPlan): Container[] {
  return pod.spec.containers.filter((container) => !isOver(pod, container, findContainer(current, container.name)));
}

/**
 * Ends the still running containers of a life that a rule has ended. KEP-5532: all at the same
 * time, without preStop and grace period.
 */
function planLeftovers({ pod, observed, life }: LivedPlan): PodStep[] {
  return observed.containers
    .filter((container) => mayRun(container) && !life.isCurrent(container))
    .map((container) => {
      const name = nameOf(container);
      const message = `Container ${name} will be restarted with all containers of ${formatPod(pod)}`;
      return { kind: "kill-container", container, name, message, reason: "restart-all", graceSeconds: 0 };
    });
}

/** Ephemeral containers start once, even before initialization is complete. */
function planEphemeral({ pod, observed }: PlanInput): PodStep[] {
  return (pod.spec.ephemeralContainers ?? [])
    .filter((container) => !findContainer(observed, container.name))
    .map((container) => ({
      kind: "start-container",
      container,
      role: "ephemeral",
      attempt: 0,
      carryMs: 0,
      streak: nextStreak(undefined, 0),
      generation: 0,
    }));
}

function planRegular(input: LivedPlan): { steps: PodStep[]; kept: number } {
  const { pod, current: observed } = input;
  const steps: PodStep[] = [];
  let kept = 0;
  for (const container of pod.spec.containers) {
    const newest = findContainer(observed, container.name);
    if (!newest || !isRunning(newest)) {
      if (!shouldRestart(pod, container, observed)) continue;
      if (newest?.state === "unknown") {
        const message = 'Container is in "unknown" state, try killing it before restart';
        steps.push({
          kind: "kill-container",
          container: newest,
          name: container.name,
          message,
          reason: "unknown-state",
        });
      }
      steps.push(planStart(input, asRegular(container)));
      continue;
    }
    const resize = planContainerResize(container, newest, input.resizes ?? nothingResized);
    const kill =
      whyKill(container, newest, input.probes) ?? (resize?.kind === "restart" ? forResize(container) : undefined);
    if (!kill) {
      kept++;
      if (resize?.kind === "update") steps.push(planUpdate(container, newest, resize));
      continue;
    }
    const restart = kill.reason === "changed" || kill.reason === "resize" || restartsWhenKilled(pod, container);
    const message = restart ? `${kill.message}, will be restarted` : kill.message;
    steps.push({ kind: "kill-container", container: newest, name: container.name, ...kill, message });
    // A container that was just killed starts in the next round, when the runtime shows how and
    // when it ended.
    kept++;
  }
  return { steps, kept };
}

function whyKill(container: BoundPod["spec"]["containers"][number], running: ObservedContainer, probes: ProbeVerdicts) {
  const hash = running.annotations[annotationNames.hash];
  if (hash !== undefined && hash !== containerHash(container)) {
    return { reason: "changed", message: `Container ${container.name} definition changed` } as const;
  }
  if (probes.liveness(running.id) === "failure") {
    return { reason: "liveness-probe", message: `Container ${container.name} failed liveness probe` } as const;
  }
  if (probes.startup(running.id) === "failure") {
    return { reason: "startup-probe", message: `Container ${container.name} failed startup probe` } as const;
  }
  return undefined;
}

function forResize({ name }: Container) {
  return { reason: "resize", message: `Container ${name} resize requires restart` } as const;
}

function planUpdate(
  spec: Container,
  container: ObservedContainer,
  { resources }: Extract<ContainerResize, { kind: "update" }>,
): PodStep {
  return { kind: "resize-container", container, spec, resources };
}

/** Sidecars are resized like regular containers. */
function planSidecarResizes({ pod, current, resizes = nothingResized }: LivedPlan): PodStep[] {
  return initContainersOf(pod)
    .filter(isRestartableInit)
    .flatMap((container): PodStep[] => {
      const newest = findContainer(current, container.name);
      const resize = newest && isRunning(newest) ? planContainerResize(container, newest, resizes) : undefined;
      if (!newest || !resize) return [];
      if (resize.kind === "update") return [planUpdate(container, newest, resize)];
      const { reason, message } = forResize(container);
      return [
        {
          kind: "kill-container",
          container: newest,
          name: container.name,
          reason,
          message: `${message}, will be restarted`,
        },
      ];
    });
}

interface ToStart {
  container: BoundPod["spec"]["containers"][number];
  role: ContainerRole;
}

function planStart(input: LivedPlan, { container, role }: ToStart): PodStep {
  const { life } = input;
  const newest = findContainer(input.observed, container.name);
  const previous = newest && life.keepsBackoff(newest) ? asEnded(newest) : undefined;
  const hasChanged = previous !== undefined && !sharesBackoff(container, previous);
  const decision = hasChanged
    ? startAfterChange(previous, input.options)
    : decideRestart(previous, input.options, input.nowMs);
  if (decision.kind === "wait" && previous) {
    const { backoffMs, remainingMs } = decision;
    return { kind: "hold-container", name: container.name, exitedId: previous.id, backoffMs, remainingMs };
  }
  const attempt = nextAttempt(
    newest,
    input.recorded.find(({ name }) => name === container.name),
  );
  return {
    kind: "start-container",
    container,
    role,
    attempt,
    carryMs: decision.kind === "start" ? decision.carryMs : 0,
    streak: hasChanged ? streakOfChanged : nextStreak(previous, input.options.resetMs),
    generation: life.generation,
  };
}

/** An instance that was created and never started counts as failed at the time of its creation. */
function asEnded(newest: ObservedContainer): ObservedContainer {
  return newest.state === "created" ? { ...newest, state: "exited", finishedAtMs: newest.createdAtMs } : newest;
}

function asRegular(container: ToStart["container"]): ToStart {
  return { container, role: "regular" };
}

function roleOfInit(container: ToStart["container"]): ContainerRole {
  return container.restartPolicy === "Always" ? "sidecar" : "init";
}

/** Reports whether the container has ended, and will not be restarted. */
function isOver(pod: BoundPod, container: Container, newest: ObservedContainer | undefined): boolean {
  return newest?.state === "exited" && !restartsAfter(pod, container, newest.exitCode);
}

function startsSomething(step: PodStep): boolean {
  return step.kind === "start-container" || step.kind === "hold-container";
}
