import { CommitLog } from "../commit-log.ts";
import {
  type Call,
  type Commit,
  describeCall,
  type History,
  type HistoryViolation,
  isWrite,
  sameValue,
  valueText,
} from "../history.ts";
import { explainCommits } from "./explain-commits.ts";
import { RevisionBounds } from "../revision-bounds.ts";
import { hasAsked, isAllowed } from "../write-effect.ts";

/** The revisions between which a call can have taken effect, inclusive. */
interface Window {
  readonly low: number;
  readonly high: number;
}

/**
 * Checks linearizability with the log, whose order is the order of all writes. It remains to check
 * that each call fits into this order between its start and its end, and that each commit was
 * requested. This does not need a search.
 */
export function checkAgainstLog(history: History): HistoryViolation[] {
  if (history.commits === undefined) return [];
  const log = new CommitLog(history.commits);
  const bounds = new RevisionBounds(history, log);
  const windowOf = ({ startMs, endMs }: Call): Window => ({ low: bounds.atLeast(startMs), high: bounds.atMost(endMs) });
  const violations: HistoryViolation[] = [];
  for (const call of history.calls) {
    const misfit = misfitOf(call, log, windowOf(call));
    if (misfit !== undefined)
      violations.push({ invariant: "calls-are-linearizable", message: `${describeCall(call)} ${misfit}` });
  }
  return [...violations, ...explainCommits(history.calls, log, windowOf)];
}

/**
 * Explains why the call's response contradicts the log; undefined if the response is consistent.
 */
function misfitOf(call: Call, log: CommitLog, window: Window): string | undefined {
  const { outcome } = call;
  if (outcome.is === "unknown") return undefined;
  if (window.low > window.high)
    return `returned a revision of the future: it began after revision ${window.low} was observed, and ended before its own change was committed`;
  if (outcome.is === "refused") return wrongRefusal(call, log, window);
  if (outcome.revision === undefined || call.verb === "delete") return undefined;
  const commit = log.find(outcome.revision);
  // If the call is a write, writes-are-durable checks the call.
  if (commit?.type !== "put" || commit.key !== call.key)
    return isWrite(call) ? undefined : `was answered with revision ${outcome.revision}, which is not in the log`;
  return isWrite(call) && outcome.revision > window.low
    ? wrongWrite(call, commit, { log, window })
    : wrongRead(call, commit, { log, window });
}

interface Place {
  readonly log: CommitLog;
  readonly window: Window;
}

function wrongRead(call: Call, commit: Commit, { log, window }: Place): string | undefined {
  const { outcome } = call;
  const until = log.untilRevision(commit);
  if (until <= window.low)
    return `was answered with revision ${commit.revision}, which revision ${until} had replaced; revision ${window.low} was observed before`;
  if (commit.revision > window.high)
    return `was answered with revision ${commit.revision} before it was committed, at revision ${window.high}`;
  if (outcome.is === "ok" && outcome.value !== undefined && !sameValue(outcome.value, commit.value))
    return `was answered with ${valueText(outcome.value)}, and revision ${commit.revision} is ${valueText(commit.value)}`;
  if (isWrite(call) && !hasAsked(call, commit))
    return `was answered with revision ${commit.revision}, which another call committed`;
  if (call.verb === "create")
    return `was answered with revision ${commit.revision}, which was committed before it began`;
  return undefined;
}

function wrongWrite(call: Call, commit: Commit, { log, window }: Place): string | undefined {
  if (commit.revision > window.high)
    return `was answered with revision ${commit.revision}, which was committed after it ended at revision ${window.high}`;
  const before = log.replacedBy(commit);
  if (!isAllowed(call, before))
    return `was answered with revision ${commit.revision}, and replaced ${before ? `revision ${before.revision}` : "nothing"}`;
  if (!hasAsked(call, commit))
    return `was answered with ${valueText(commit.value)}, although it requested ${valueText(call.asked)}`;
  return undefined;
}

/** A rejection that no state between start and end of the call justifies. */
function wrongRefusal(call: Call, log: CommitLog, window: Window): string | undefined {
  const { outcome, verb, key } = call;
  if (outcome.is !== "refused") return undefined;
  const held = heldWithin(log, key, window);
  if (outcome.status === 404 && !held.includes(undefined)) return "was answered with 404, although the object existed";
  if (outcome.status !== 409) return undefined;
  if (verb === "create" && held.every((commit) => commit === undefined))
    return "was refused because the object existed, but it did not exist";
  const fits = (commit: Commit | undefined) => commit !== undefined && isAllowed(call, commit);
  if (verb !== "create" && held.every(fits)) return "was refused with 409, although the object met its precondition";
  return undefined;
}

/**
 * Lists the values of the key at the revisions of the window; undefined represents a missing
 * object.
 */
function heldWithin(log: CommitLog, key: string, { low, high }: Window): (Commit | undefined)[] {
  const commits = log.ofKey(key);
  const atStart = commits.findLast(({ revision }) => revision <= low);
  const within = commits.filter(({ revision }) => revision > low && revision <= high);
  return [atStart, ...within].map((commit) => (commit?.type === "put" ? commit : undefined));
}
