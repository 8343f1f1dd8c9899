import type { CommitLog } from "./commit-log.ts";
import { groupedBy } from "./grouped.ts";
import { type Call, type Commit, describeCall, type HistoryViolation, isWrite } from "./history.ts";
import { hasAsked, isAllowed } from "./write-effect.ts";

type WindowOf = (call: Call) => { low: number; high: number };

/** A write that may have made a commit that no answer names. */
interface Candidate {
  readonly call: Call;
  readonly low: number;
  readonly high: number;
}

/**
 * Every commit of a key that clients write was asked for by one of them, once; and a delete that was acknowledged is one of the
 * log's. Commits without an answer that names them go to the call that has to have taken effect soonest: if there is any way to
 * give each its call, this finds it.
 */
export function explainCommits(calls: readonly Call[], log: CommitLog, windowOf: WindowOf): HistoryViolation[] {
  const writes = groupedBy(calls.filter(isWrite), ({ key }) => key);
  const violations: HistoryViolation[] = [];
  for (const [key, ofKey] of writes) {
    const named = new Set(ofKey.map(answeredRevision));
    const open = ofKey.flatMap((call) => candidateOf(call, windowOf));
    const unnamed = log.ofKey(key).filter(({ revision }) => !named.has(revision));
    violations.push(...explain(unnamed, open, log));
  }
  return violations;
}

/** Takes from `open` the call that made each commit. */
function* explain(commits: readonly Commit[], open: Candidate[], log: CommitLog): Generator<HistoryViolation> {
  for (const commit of commits) {
    const maker = open.filter((candidate) => mayHaveMade(candidate, commit, log)).sort(bySoonest)[0];
    if (maker === undefined)
      yield unlinear(`nobody asked for the ${commit.type} of ${commit.key} at ${commit.revision}`);
    else open.splice(open.indexOf(maker), 1);
  }
  for (const { call } of open) {
    if (call.outcome.is === "ok")
      yield unlinear(`${describeCall(call)} was acknowledged, and the log has no such change`);
  }
}

/** Whoever was acknowledged needs a commit; a call of unknown outcome may do without, and waits for as long as it likes. */
function bySoonest(one: Candidate, other: Candidate): number {
  const isUnknown = ({ call }: Candidate) => Number(call.outcome.is === "unknown");
  return isUnknown(one) - isUnknown(other) || (one.high < other.high ? -1 : 1);
}

function candidateOf(call: Call, windowOf: WindowOf): Candidate[] {
  const { is } = call.outcome;
  const isOpen = is === "unknown" || (is === "ok" && answeredRevision(call) === undefined);
  return isOpen ? [{ call, ...windowOf(call) }] : [];
}

function mayHaveMade({ call, low, high }: Candidate, commit: Commit, log: CommitLog): boolean {
  if (commit.revision <= low || commit.revision > high) return false;
  if ((call.verb === "delete") !== (commit.type === "delete")) return false;
  return isAllowed(call, log.replacedBy(commit)) && (commit.type === "delete" || hasAsked(call, commit));
}

function answeredRevision({ outcome }: Call): number | undefined {
  return outcome.is === "ok" ? outcome.revision : undefined;
}

function unlinear(message: string): HistoryViolation {
  return { invariant: "S2", message };
}
