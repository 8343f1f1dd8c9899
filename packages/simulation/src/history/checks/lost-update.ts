import { CommitLog } from "../commit-log.ts";
import { groupedBy } from "../grouped.ts";
import { type Call, describeCall, type FinalState, type History, type HistoryViolation } from "../history.ts";

/**
 * Only one of several writers that had read the same revision succeeds. The final value of a
 * counter is its initial value plus the acknowledged increments and some of the increments with an
 * unknown outcome.
 */
export function checkLostUpdates(history: History): HistoryViolation[] {
  return [...twoWinners(history), ...wrongCounters(history)];
}

function* twoWinners({ calls }: History): Generator<HistoryViolation> {
  const winners = new Map<string, Call>();
  for (const call of calls) {
    const { precondition, outcome, key, verb } = call;
    if (precondition?.revision === undefined || outcome.is !== "ok" || verb === "get") continue;
    // The write did not change the object, so another write may still succeed.
    if (outcome.revision === precondition.revision) continue;
    const at = `${key}@${precondition.revision}`;
    const winner = winners.get(at);
    if (winner) yield overwritten(`${describeCall(winner)} and ${describeCall(call)} both replaced ${at}`);
    winners.set(at, call);
  }
}

function* wrongCounters(history: History): Generator<HistoryViolation> {
  const raises = groupedBy(
    history.calls.filter(({ increments }) => increments !== undefined),
    ({ key, increments }) => `${key} ${increments}`,
  );
  for (const [name, calls] of raises) {
    const end = endOf(history, calls[0]);
    const start = startOf(history, calls[0]);
    if (end === undefined || start === undefined) continue;
    const oks = calls.filter(({ outcome }) => outcome.is === "ok").length;
    const unknown = calls.filter(({ outcome }) => outcome.is === "unknown").length;
    const raised = end - start;
    if (raised < oks || raised > oks + unknown)
      yield overwritten(
        `${name} was incremented ${oks} times for certain and ${unknown} times possibly, but has grown by ${raised}`,
      );
  }
}

/**
 * Returns the value of the counter's only create; undefined if the counter existed before, or was
 * created more than once.
 */
function startOf({ calls }: History, raise: Call | undefined): number | undefined {
  if (raise?.increments === undefined) return undefined;
  const creates = calls.filter(
    ({ verb, key, outcome }) => verb === "create" && key === raise.key && isMade(outcome.is),
  );
  const text = creates.length > 0 ? creates[0]?.asked?.[raise.increments] : undefined;
  const others = calls.some(
    ({ key, verb, increments, outcome }) =>
      key === raise.key && verb !== "create" && verb !== "get" && increments === undefined && isMade(outcome.is),
  );
  return text === undefined || others ? undefined : Number(text);
}

function isMade(outcome: Call["outcome"]["is"]): boolean {
  return outcome !== "refused";
}

function endOf({ finals, commits }: History, raise: Call | undefined): number | undefined {
  if (raise?.increments === undefined) return undefined;
  const final = finals?.find(({ key }: FinalState) => key === raise.key)?.item;
  const log = finals === undefined && commits !== undefined ? new CommitLog(commits) : undefined;
  const text = (final ?? log?.ofKey(raise.key).at(-1))?.value[raise.increments];
  return text === undefined ? undefined : Number(text);
}

function overwritten(message: string): HistoryViolation {
  return { invariant: "no-lost-updates", message };
}
