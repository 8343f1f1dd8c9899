import type { TimerProfile } from "@kintsugi/api";
import { type Bar, type ClusterStory, stateOf } from "@kintsugi/story";
import type { RunningTimer } from "./running-timers.ts";

/** Limit on timers of one kind. */
const runningTimersMax = 200;

/**
 * Lists the running timers that follow from steps alone, if objects were not recorded: the
 * toleration of pods on a silent node, and grace periods of terminating pods. Timers that depend on
 * fields of objects are omitted.
 */
export function timersOfSteps(
  story: ClusterStory,
  { timers, nowMs }: { timers: Pick<TimerProfile, "defaultTolerationSeconds">; nowMs: number },
): RunningTimer[] {
  return story.lanes
    .flatMap(({ node, bars, spans }) => {
      const since = spans.at(-1)?.evicts === true ? spans.findLast(({ evicts }) => !evicts) : undefined;
      const evictsFromMs = since === undefined ? undefined : spans[spans.indexOf(since) + 1]?.fromMs;
      return bars
        .filter(({ toMs }) => toMs === undefined)
        .flatMap((bar) =>
          runningTimerOf(bar, { node, evictsFromMs, tolerationMs: timers.defaultTolerationSeconds * 1_000 }),
        );
    })
    .filter((runningTimer) => runningTimer.atMs > nowMs)
    .toSorted((a, b) => a.atMs - b.atMs)
    .slice(0, runningTimersMax);
}

function runningTimerOf(
  bar: Bar,
  { node, evictsFromMs, tolerationMs }: { node: string; evictsFromMs: number | undefined; tolerationMs: number },
): RunningTimer[] {
  const about = { kind: "Pod", namespace: bar.namespace, name: bar.name };
  if (stateOf(bar) === "terminating") {
    const { fromMs = 0, because = "" } = bar.spans.findLast(({ state }) => state === "terminating") ?? {};
    const graceSeconds = Number(/grace period (\d+) s/.exec(because)?.[1] ?? 0);
    const next = "Containers that still run are killed.";
    const timed = { timer: "termination grace period", sinceMs: fromMs, atMs: fromMs + graceSeconds * 1_000 } as const;
    return [{ about, ...timed, because: "The pod is being deleted.", next }];
  }
  if (evictsFromMs === undefined) return [];
  const because = `${node} has a taint that evicts its pods.`;
  const timed = { timer: "toleration", sinceMs: evictsFromMs, atMs: evictsFromMs + tolerationMs } as const;
  return [{ about, ...timed, because, next: "The pod is deleted, unless it tolerates the taint for longer." }];
}
