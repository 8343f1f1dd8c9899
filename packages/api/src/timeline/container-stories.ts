import type { ContainerStatus } from "../kinds/core/pod/status/container-status.ts";
import type { Pod } from "../kinds/core/pod/pod.ts";
import {
  readTerminations,
  type Termination,
  terminationsAnnotation,
} from "../kinds/core/pod/rules/pod-terminations.ts";
import { parseTimestamp } from "../values/timestamp.ts";

/** The story of one container of a pod: its present state, and its last ends. */
export interface ContainerStory {
  readonly container: string;
  readonly restarts: number;
  /**
   * The present state as text: "running since 2026-01-01T00:00:00Z", "waiting: CrashLoopBackOff:
   * back-off 40s restarting …".
   */
  readonly now: string;
  /** Newest first. */
  readonly ends: readonly ContainerEnd[];
}

export interface ContainerEnd extends Termination {
  /** Whole seconds, as in the API's instants. */
  readonly ranForMs: number;
  /**
   * The cause in words: a failed probe, the kernel for lack of memory, a signal, or its own exit
   * code.
   */
  readonly because: string;
  /**
   * The time for which the container was down before its next start; undefined while the container
   * is down, and if the next start is not known.
   */
  readonly downMs?: number;
  /** The reason of the wait. */
  readonly downBecause?: string;
}

/** A shorter time is the duration of a restart, and not a wait. */
const atOnceMs = 3000;

/**
 * Lists the stories of all containers that have a status or have ended, in the order of the status.
 */
export function containerStories(pod: Pod): ContainerStory[] {
  const ends = readTerminations(pod.metadata.annotations?.[terminationsAnnotation]);
  const { initContainerStatuses = [], containerStatuses = [], ephemeralContainerStatuses = [] } = pod.status ?? {};
  const statuses = [...initContainerStatuses, ...containerStatuses, ...ephemeralContainerStatuses];
  return statuses.map((status) => ({
    container: status.name,
    restarts: status.restartCount,
    now: nowOf(status),
    ends: endsOf(
      ends.filter(({ container }) => container === status.name),
      status,
    ),
  }));
}

function endsOf(ends: readonly Termination[], status: ContainerStatus): ContainerEnd[] {
  return ends.map((end, i) => {
    const later = ends[i - 1];
    const nextStart =
      later?.restart === end.restart + 1
        ? later.startedAt
        : status.restartCount === end.restart + 1
          ? status.state?.running?.startedAt
          : undefined;
    const ranForMs = parseTimestamp(end.finishedAt) - parseTimestamp(end.startedAt);
    const story = { ...end, ranForMs, because: becauseOf(end) };
    if (typeof nextStart === "string") return { ...story, ...downUntil(end.finishedAt, nextStart) };
    const isWaiting = i === 0 && status.state?.waiting?.reason === "CrashLoopBackOff";
    return isWaiting ? { ...story, downBecause: status.state?.waiting?.message ?? "back-off" } : story;
  });
}

function downUntil(finishedAt: string, nextStart: string): Pick<ContainerEnd, "downMs" | "downBecause"> {
  const downMs = Math.max(0, parseTimestamp(nextStart) - parseTimestamp(finishedAt));
  return {
    downMs,
    downBecause: downMs < atOnceMs ? "restarted immediately" : "waited for its back-off, or for its pod",
  };
}

/** Common signals that end containers; other signals are printed as numbers. */
const signalNames: Readonly<Record<number, string>> = { 6: "SIGABRT", 9: "SIGKILL", 11: "SIGSEGV", 15: "SIGTERM" };

function becauseOf({
  exitCode,
  reason,
  killed,
  signal,
}: Pick<Termination, "exitCode" | "reason" | "killed" | "signal">) {
  if (killed !== undefined) return killed;
  if (reason === "OOMKilled") return "the kernel killed it because it ran out of memory";
  if (reason === "ContainerStatusUnknown") return "it no longer existed when the kubelet inspected it";
  if (reason === "StartError" || reason === "ContainerCannotRun") return "it could not be started";
  const number = signal ?? (exitCode > 128 && exitCode <= 192 ? exitCode - 128 : undefined);
  if (number !== undefined) return `ended by ${signalNames[number] ?? `signal ${number}`}`;
  return exitCode === 0 ? "ended by itself" : `ended by itself with code ${exitCode}`;
}

function nowOf({ state, lastState }: ContainerStatus): string {
  if (state?.running) return `running since ${state.running.startedAt}`;
  if (state?.terminated) return `ended: ${state.terminated.reason ?? ""}, exit code ${state.terminated.exitCode}`;
  const { reason = "", message } = state?.waiting ?? {};
  const waiting = reason === "" ? "waiting" : `waiting: ${reason}`;
  return message ? `${waiting}: ${message}` : lastState?.terminated ? `${waiting}, after it ended` : waiting;
}
