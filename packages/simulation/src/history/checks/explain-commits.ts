import type { CommitLog } from "../commit-log.ts";
import { groupedBy } from "../grouped.ts";
import { type Call, type Commit, describeCall, type HistoryViolation, isWrite } from "../history.ts";
import { leftAlone } from "../maximum-matching.ts";
import { hasAsked, isAllowed } from "../write-effect.ts";

type WindowOf = (call: Call) => { low: number; high: number };

/** A write that may have made a commit that no response names. */
interface Candidate {
  readonly call: Call;
  readonly low: number;
  readonly high: number;
}

/**
 * Every commit of a key that clients write was requested by exactly one call, and an acknowledged
 * delete is in the log. If each commit without a response can be matched with a call, this finds a
 * matching: when every commit can be matched, and every acknowledged call can be matched, then both
 * matchings are possible at the same time (Mendelsohn and Dulmage), so the two are checked one
 * after the other.
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

function* explain(commits: readonly Commit[], open: readonly Candidate[], log: CommitLog): Generator<HistoryViolation> {
  for (const commit of leftAlone(commits, open, (one, candidate) => mayHaveMade(candidate, one, log)))
    yield unlinear(`no client requested the ${commit.type} of ${commit.key} at ${commit.revision}`);
  const acknowledged = open.filter(({ call }) => call.outcome.is === "ok");
  for (const { call } of leftAlone(acknowledged, commits, (candidate, one) => mayHaveMade(candidate, one, log)))
    yield unlinear(`${describeCall(call)} was acknowledged, and the log has no such change`);
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
  return { invariant: "calls-are-linearizable", message };
}
