import type { TimerProfile } from "../profiles.ts";

/** The inputs of a timeline. */
export interface TimelineSource {
  readonly journal: readonly JournalEntry[];
  readonly events: readonly EventEntry[];
}

/**
 * One entry of the API server's journal. Its time is exact to the millisecond, except where a node
 * reports on its containers.
 */
export interface JournalEntry {
  timeMs: number;
  /** The time of the commit, if `timeMs` is the node's, which is exact to the second. */
  committedMs?: number | undefined;
  revision: number;
  kind: string;
  namespace: string;
  name: string;
  node: string;
  what: string;
  detail: string;
  /** The name of the API server that accepted the write. */
  server?: string | undefined;
}

/** One event, exact to the second, as Kubernetes stores events, unless its write was observed. */
export interface EventEntry {
  timeMs: number;
  exactToMs?: boolean;
  kind: string;
  namespace: string;
  name: string;
  reason: string;
  message: string;
  /** The number of times that the event has occurred. Default: 1. */
  count?: number;
}

export interface TimelineLine {
  readonly timeMs: number;
  /** Most events are exact to the second only. */
  readonly exactToMs: boolean;
  readonly sinceFirstMs: number;
  /** "pod/web-0", "node/node-1". */
  readonly object: string;
  readonly what: string;
  readonly detail: string;
  /** The name of the API server that accepted the write, if the cluster has several. */
  readonly server?: string;
  /** The timer that explains the delay before this line. */
  readonly explained?: string;
}

/**
 * Merges journal and events into one order. An event follows the journal's entries of the same
 * second, on which it comments. A journal entry that is exact only to the second is placed at its
 * time of commit within that second.
 */
export function mergeTimeline(source: TimelineSource, timers: TimerProfile): TimelineLine[] {
  const journal = source.journal.map(({ committedMs, ...entry }) => ({
    ...entry,
    sortMs: committedMs === undefined ? entry.timeMs : withinSecond(entry.timeMs, committedMs),
    order: 0,
    exactToMs: committedMs === undefined,
  }));
  const events = source.events.map((event) => ({
    ...event,
    server: undefined,
    sortMs: event.timeMs,
    exactToMs: event.exactToMs === true,
    what: event.reason,
    detail: inOneLine(event.message) + ((event.count ?? 1) > 1 ? ` (x${event.count})` : ""),
    order: event.exactToMs === true ? 0 : 1,
  }));
  const second = (timeMs: number) => Math.floor(timeMs / 1000);
  const all = [...journal, ...events].sort((a, b) =>
    a.order === b.order ? a.sortMs - b.sortMs : second(a.timeMs) - second(b.timeMs) || a.order - b.order,
  );
  const firstMs = Math.min(...all.map((entry) => entry.timeMs));
  return all.map((entry) => {
    const explained = explain(entry, timers);
    return {
      timeMs: entry.timeMs,
      exactToMs: entry.exactToMs,
      sinceFirstMs: entry.timeMs - firstMs,
      object: `${entry.kind.toLowerCase()}/${entry.name}`,
      what: entry.what,
      detail: entry.detail,
      ...(entry.server === undefined ? {} : { server: entry.server }),
      ...(explained === undefined ? {} : { explained }),
    };
  });
}

/** The time of the commit, limited to the given second. */
function withinSecond(secondMs: number, committedMs: number): number {
  return Math.min(Math.max(committedMs, secondMs), secondMs + 999);
}

/** The output of a probe or a hook may have several lines, and ends with a line break. */
function inOneLine(message: string): string {
  return message.trim().replaceAll(/\s*\n\s*/g, " ");
}

/** Names the timer that delays a step by design; a longer delay is caused by Kintsugi itself. */
function explain(entry: { kind: string; what: string; detail: string }, timers: TimerProfile): string | undefined {
  const seconds = (ms: number) => `${ms / 1000} s`;
  const text = `${entry.what} ${entry.detail}`;
  if (entry.kind === "Node" && /Ready[^\n]*Unknown/.test(text))
    return `after ${seconds(timers.nodeMonitorGracePeriodMs)} without a heartbeat`;
  if (entry.what === "TaintManagerEviction" && entry.detail.startsWith("Marking"))
    return `after ${timers.defaultTolerationSeconds} s of toleration, unless the pod specifies another time`;
  if (entry.what === "BackOff" || (entry.what === "container-waiting" && entry.detail.endsWith(": CrashLoopBackOff")))
    return `from ${seconds(timers.crashLoopBackoffInitialMs)}, doubling, to ${seconds(timers.crashLoopBackoffMaxMs)}; the first restart has no delay`;
  if (entry.what === "Escalating")
    return "restarting the container did not repair it; kintsugi.dev/escalation sets the number of attempts";
  if (entry.what === "Restarting") return "kintsugi.dev/restartedAt has changed";
  if (entry.what === "Replacing") return "restarts on its node did not repair it";
  return undefined;
}
