import { checkDurable } from "./durable.ts";
import type { History, HistoryViolation } from "./history.ts";
import { checkAgainstLog } from "./linearizable.ts";
import { checkLists } from "./list-snapshot.ts";
import { checkLostUpdates } from "./lost-update.ts";
import { checkOrders } from "./object-model.ts";
import { checkRevisions } from "./revisions.ts";
import { checkWatchEnds, type KeptHistory } from "./watch-ends.ts";
import { checkWatches } from "./watch-validators.ts";

/** What a store keeps unless it is told otherwise. */
export const keptDefault: KeptHistory = { eventsMin: 1000, durationMs: 5 * 60_000 };

/** S1 to S6 over what clients saw. Complete only with the log of commits; without it, what their answers give away. */
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
