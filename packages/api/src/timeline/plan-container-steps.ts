import type { Pod } from "../kinds/core/pod/pod.ts";
import type { ContainerState, ContainerStatus } from "../kinds/core/pod/status/container-status.ts";
import { isTimestamp, parseTimestamp } from "../values/timestamp.ts";

export interface Step {
  what: string;
  detail: string;
  /** The time of the step, if a better time than the time of the commit is known. */
  timeMs?: number;
}

/**
 * Lists how containers ended, waited and started between two states of a pod; times are the node's
 * own if it reports them.
 */
export function planContainerSteps(before: Pod | undefined, after: Pod): Step[] {
  const old = statusesOf(before);
  return statusesOf(after).flatMap((status) =>
    stepsOf(
      old.find(({ name }) => name === status.name),
      status,
    ),
  );
}

function statusesOf(pod: Pod | undefined): ContainerStatus[] {
  const { initContainerStatuses = [], containerStatuses = [], ephemeralContainerStatuses = [] } = pod?.status ?? {};
  return [...initContainerStatuses, ...containerStatuses, ...ephemeralContainerStatuses];
}

function stepsOf(before: ContainerStatus | undefined, after: ContainerStatus): Step[] {
  const steps: Step[] = [];
  const { name } = after;
  const ended = endOf(after);
  // The end of a run is either the present state or, once the next run has begun, the last state.
  if (ended !== undefined && !sameEnd(ended, before === undefined ? undefined : endOf(before))) {
    const { reason = "", exitCode, signal } = ended;
    const how = [reason, `exit code ${exitCode}`, ...(signal === undefined ? [] : [`signal ${signal}`])];
    steps.push({
      what: "container-terminated",
      detail: `${name}: ${how.filter((text) => text !== "").join(", ")}`,
      ...timed(ended.finishedAt),
    });
  }
  const waiting = after.state?.waiting?.reason ?? "";
  if (waiting !== "" && waiting !== (before?.state?.waiting?.reason ?? "")) {
    steps.push({ what: "container-waiting", detail: `${name}: ${waiting}` });
  }
  const running = after.state?.running;
  if (running !== undefined && running.startedAt !== before?.state?.running?.startedAt) {
    const restarts = after.restartCount ?? 0;
    const detail = restarts === 0 ? name : `${name}: restart ${restarts}`;
    steps.push({ what: "container-running", detail, ...timed(running.startedAt) });
  }
  return steps;
}

type End = NonNullable<ContainerState["terminated"]>;

function endOf(status: ContainerStatus): End | undefined {
  return status.state?.terminated ?? status.lastState?.terminated;
}

function sameEnd(a: End, b: End | undefined): boolean {
  return (
    b !== undefined && a.containerID === b.containerID && a.finishedAt === b.finishedAt && a.exitCode === b.exitCode
  );
}

function timed(text: string | undefined): { timeMs?: number } {
  return text !== undefined && isTimestamp(text) ? { timeMs: parseTimestamp(text) } : {};
}
