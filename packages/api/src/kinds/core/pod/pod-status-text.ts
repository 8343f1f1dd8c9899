import { instantOf } from "../../../table/cells.ts";
import { formatHumanDuration } from "../../../table/human-duration.ts";
import type { ContainerStatus } from "./status/container-status.ts";
import type { Pod } from "./pod.ts";

/** The columns of `kubectl get pods`, computed in the order of upstream's printPod. */
export interface PodSummary {
  readyContainers: number;
  totalContainers: number;
  status: string;
  /** "3 (25s ago)". */
  restarts: string;
}

/** Restarts so far, and the time when the last run ended. */
interface Restarts {
  count: number;
  lastMs: number | undefined;
}

export function summarizePod(pod: Pod, nowMs: number): PodSummary {
  const init = summarizeInitContainers(pod);
  const containers = pod.status?.containerStatuses ?? [];
  let status = init.reason ?? basicReason(pod);
  let readyContainers = init.readyContainers;
  let restarts = init.restarts;
  if (init.reason === undefined || isConditionTrue(pod, "Initialized")) {
    restarts = containers.map(restartsOf).reduce(addRestarts, init.sidecarRestarts);
    readyContainers += containers.filter(isReadyAndRunning).length;
    status = statusOfContainers(pod, containers, status);
  }
  return {
    readyContainers,
    totalContainers: (pod.spec?.containers ?? []).length + init.sidecars,
    status: deletionStatus(pod) ?? status,
    restarts: formatRestarts(restarts, nowMs),
  };
}

function basicReason(pod: Pod): string {
  const gated = (pod.status?.conditions ?? []).some(
    ({ type, reason }) => type === "PodScheduled" && reason === "SchedulingGated",
  );
  return gated ? "SchedulingGated" : pod.status?.reason || pod.status?.phase || "";
}

function summarizeInitContainers(pod: Pod) {
  const specs = pod.spec?.initContainers ?? [];
  const sidecars = new Set(specs.filter(({ restartPolicy }) => restartPolicy === "Always").map(({ name }) => name));
  let restarts: Restarts = { count: 0, lastMs: undefined };
  let sidecarRestarts = restarts;
  let readyContainers = 0;
  let reason: string | undefined;
  for (const [index, container] of (pod.status?.initContainerStatuses ?? []).entries()) {
    const isSidecar = sidecars.has(container.name);
    restarts = addRestarts(restarts, restartsOf(container));
    sidecarRestarts = isSidecar ? addRestarts(sidecarRestarts, restartsOf(container)) : sidecarRestarts;
    const { terminated } = container.state ?? {};
    if (terminated?.exitCode === 0) {
      continue;
    }
    if (isSidecar && container.started === true) {
      readyContainers += container.ready ? 1 : 0;
      continue;
    }
    reason = `Init:${reasonOfInitContainer(container) ?? `${index}/${specs.length}`}`;
    break;
  }
  return { restarts, sidecarRestarts, readyContainers, reason, sidecars: sidecars.size };
}

/** Undefined while the container runs, or waits for its turn. */
function reasonOfInitContainer({ state }: ContainerStatus): string | undefined {
  if (state?.terminated) {
    return reasonOfTermination(state.terminated);
  }
  const waiting = state?.waiting?.reason;
  return waiting === undefined || waiting === "" || waiting === "PodInitializing" ? undefined : waiting;
}

/**
 * The first container that waits or has ended decides the status of the pod; if another container
 * still runs, the pod is not completed.
 */
function statusOfContainers(pod: Pod, containers: readonly ContainerStatus[], otherwise: string): string {
  const reasons = containers.map(reasonOfContainer).filter((reason) => reason !== undefined);
  const status = reasons[0] ?? otherwise;
  if (status === "Completed" && containers.some(isReadyAndRunning)) {
    return isConditionTrue(pod, "Ready") ? "Running" : "NotReady";
  }
  return status;
}

function reasonOfContainer({ state }: ContainerStatus): string | undefined {
  if (state?.waiting?.reason) {
    return state.waiting.reason;
  }
  return state?.terminated ? reasonOfTermination(state.terminated) : undefined;
}

function reasonOfTermination(terminated: NonNullable<NonNullable<ContainerStatus["state"]>["terminated"]>): string {
  if (terminated.reason) {
    return terminated.reason;
  }
  return terminated.signal ? `Signal:${terminated.signal}` : `ExitCode:${terminated.exitCode}`;
}

function isReadyAndRunning(container: ContainerStatus): boolean {
  return reasonOfContainer(container) === undefined && container.ready && container.state?.running !== undefined;
}

/**
 * A pod on a lost node may never end, so its status is not known; a finished pod still shows its
 * end.
 */
function deletionStatus(pod: Pod): string | undefined {
  if (pod.metadata.deletionTimestamp === undefined) {
    return undefined;
  }
  if (pod.status?.reason === "NodeLost") {
    return "Unknown";
  }
  const { phase } = pod.status ?? {};
  return phase === "Succeeded" || phase === "Failed" ? undefined : "Terminating";
}

function isConditionTrue(pod: Pod, type: string): boolean {
  return (pod.status?.conditions ?? []).some((condition) => condition.type === type && condition.status === "True");
}

function restartsOf({ restartCount, lastState }: ContainerStatus): Restarts {
  return { count: restartCount, lastMs: instantOf(lastState?.terminated?.finishedAt) };
}

function addRestarts(left: Restarts, right: Restarts): Restarts {
  const times = [left.lastMs, right.lastMs].filter((time) => time !== undefined);
  return { count: left.count + right.count, lastMs: times.length === 0 ? undefined : Math.max(...times) };
}

function formatRestarts({ count, lastMs }: Restarts, nowMs: number): string {
  return count === 0 || lastMs === undefined ? String(count) : `${count} (${formatHumanDuration(nowMs - lastMs)} ago)`;
}
