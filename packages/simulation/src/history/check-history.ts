import { checkDurable } from "./checks/durable.ts";
import { type History, type HistoryViolation, isWrite } from "./history.ts";
import { checkAgainstLog } from "./checks/linearizable.ts";
import { checkLists } from "./checks/list-snapshot.ts";
import { checkLostUpdates } from "./checks/lost-update.ts";
import { checkOrders } from "./object-model.ts";
import { checkRevisions } from "./checks/revisions.ts";
import { checkWatchEnds, type KeptHistory } from "./checks/watch-ends.ts";
import { checkWatches } from "./checks/watch-validators.ts";

/** The default retention of a store. */
export const keptDefault: KeptHistory = { eventsMin: 1000, durationMs: 5 * 60_000 };

/**
 * Runs the six checks on the clients' observations. The checks are complete only with the log of
 * commits; without the log, they rely on the clients' responses.
 */
export function checkHistory(history: History, kept: KeptHistory = keptDefault): HistoryViolation[] {
  return [
    ...checkDurable(history),
    ...checkAgainstLog(history),
    ...checkOrders(history),
    ...checkRevisions(history),
    ...checkLostUpdates(history),
    ...checkWatches(history),
    ...checkWatchEnds(history, kept),
    ...checkLists(history),
  ];
}

/**
 * Counts the observations by the name of the check, because a check without observations does not
 * prove anything.
 */
export function countChecks({ calls, lists, watches, commits = [] }: History): Record<string, number> {
  const sum = <T>(items: readonly T[], count: (item: T) => number) =>
    items.reduce((total, item) => total + count(item), 0);
  return {
    "writes-are-durable": calls.filter((call) => isWrite(call) && call.outcome.is === "ok").length,
    "calls-are-linearizable": calls.length,
    "revisions-rise": commits.length,
    "no-lost-updates": calls.filter(({ increments }) => increments !== undefined).length,
    "watches-are-complete": sum(watches, ({ frames }) => frames.length),
    "lists-are-snapshots": sum(lists, ({ pages }) => pages.length),
  };
}
