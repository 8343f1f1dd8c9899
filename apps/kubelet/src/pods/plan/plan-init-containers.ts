import type { Container } from "@kintsugi/api";
import { type BoundPod, initContainersOf, isRestartableInit } from "../../model/bound-pod.ts";
import { annotationNames, containerHash } from "../../model/labels.ts";
import { findContainer, isRunning, type ObservedContainer, type ObservedPod } from "../../model/observed-pod.ts";
import { restartsAfter } from "../../model/should-restart.ts";
import type { ContainerRole, KillReason, PodStep, ProbeVerdicts } from "./steps.ts";

export interface InitPlan {
  /** The regular containers may run. */
  initialized: boolean;
  /** An init container failed and may not be retried, so the pod has ended. */
  failed: boolean;
  start: { container: Container; role: ContainerRole }[];
  kills: PodStep[];
}

/**
 * Plans which init container runs next, and which sidecars have to be restarted
 * (computeInitContainerActions). It reads backwards, because the runtime may have removed early
 * containers: the last container that exists shows the progress of the pod.
 */
export function planInitContainers(pod: BoundPod, observed: ObservedPod, probes: ProbeVerdicts): InitPlan {
  const containers = initContainersOf(pod);
  const plan: InitPlan = { initialized: true, failed: false, start: [], kills: [] };
  if (containers.length === 0) return plan;

  plan.initialized = pod.spec.containers.some(({ name }) => hasBegun(findContainer(observed, name)));
  let laterLeftTrace = plan.initialized;
  for (let i = containers.length - 1; i >= 0; i--) {
    const container = containers[i];
    if (!container) continue;
    const sidecar = isRestartableInit(container);
    const newest = findContainer(observed, container.name);
    if (!newest) {
      if (laterLeftTrace && sidecar) plan.start.push({ container, role: "sidecar" });
      continue;
    }
    if (laterLeftTrace && !sidecar) continue;
    const next = containers[i + 1];
    const outcome = sidecar
      ? judgeSidecar(container, newest, probes)
      : judgeInit(newest, restartsAfter(pod, container, newest.exitCode || 1));
    if (outcome.failed) return { initialized: false, failed: true, start: [], kills: [] };
    if (outcome.passed) {
      if (!next) plan.initialized = true;
      else if (!laterLeftTrace)
        plan.start.push({ container: next, role: isRestartableInit(next) ? "sidecar" : "init" });
    }
    if (outcome.kill)
      plan.kills.push({ kind: "kill-container", container: newest, name: container.name, ...outcome.kill });
    if (outcome.start) plan.start.push({ container, role: sidecar ? "sidecar" : "init" });
    laterLeftTrace = true;
  }
  const first = containers[0];
  if (!laterLeftTrace && first)
    plan.start.push({ container: first, role: isRestartableInit(first) ? "sidecar" : "init" });
  plan.start.reverse();
  return plan;
}

interface Outcome {
  passed?: boolean;
  failed?: boolean;
  start?: boolean;
  kill?: { message: string; reason: KillReason };
}

function judgeInit(newest: ObservedContainer, mayRetry: boolean): Outcome {
  switch (newest.state) {
    case "created":
      return { start: true };
    case "running":
      return {};
    case "exited":
      if (newest.exitCode === 0) return { passed: true };
      return mayRetry ? { start: true } : { failed: true };
    case "unknown":
      if (!mayRetry) return { failed: true };
      return { kill: killUnknown(), start: true };
  }
}

function judgeSidecar(container: Container, newest: ObservedContainer, probes: ProbeVerdicts): Outcome {
  if (newest.state === "unknown") return { kill: killUnknown(), start: true };
  if (!isRunning(newest)) return { start: true };
  if (container.startupProbe) {
    const startup = probes.startup(newest.id);
    if (startup === "failure") {
      return { kill: { message: `Init container ${container.name} failed startup probe`, reason: "startup-probe" } };
    }
    if (startup !== "success") return {};
  }
  const hash = newest.annotations[annotationNames.hash];
  if (hash !== undefined && hash !== containerHash(container)) {
    return {
      passed: true,
      kill: { message: `Init container ${container.name} definition changed`, reason: "changed" },
    };
  }
  if (probes.liveness(newest.id) === "failure") {
    return {
      passed: true,
      kill: { message: `Init container ${container.name} failed liveness probe`, reason: "liveness-probe" },
    };
  }
  return { passed: true };
}

function killUnknown() {
  return {
    message: 'Init container is in "unknown" state, try killing it before restart',
    reason: "unknown-state" as const,
  };
}

/** A regular container exists and has not exited, so the init containers have finished. */
function hasBegun(container: ObservedContainer | undefined): boolean {
  return container !== undefined && (container.state === "created" || container.state === "running");
}
