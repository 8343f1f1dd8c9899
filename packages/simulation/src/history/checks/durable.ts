import { CommitLog } from "../commit-log.ts";
import { groupedBy } from "../grouped.ts";
import {
  type Call,
  describeCall,
  type FinalState,
  type History,
  type HistoryViolation,
  isWrite,
  type ListedItem,
  sameValue,
  valueText,
} from "../history.ts";

/**
 * Acknowledged writes are still present at the end, unless a write that was acknowledged later, or
 * whose outcome is unknown, may have replaced them. With the log, every acknowledged write is in
 * the log as acknowledged.
 */
export function checkDurable(history: History): HistoryViolation[] {
  const log = history.commits && new CommitLog(history.commits);
  return [...(log ? notInLog(history, log) : []), ...lostAtEnd(history, finalsOf(history, log))];
}

function* notInLog({ calls }: History, log: CommitLog): Generator<HistoryViolation> {
  for (const call of calls) {
    const { outcome, key } = call;
    if (!isWrite(call) || outcome.is !== "ok" || outcome.revision === undefined) continue;
    const commit = log.find(outcome.revision);
    const expected = call.verb === "delete" ? "delete" : "put";
    const said = `${describeCall(call)} was answered with revision ${outcome.revision}`;
    if (commit === undefined) yield lost(`${said}, which is not in the log`);
    else if (commit.key !== key || commit.type !== expected)
      yield lost(`${said}, which is a ${commit.type} of ${commit.key}`);
    else if (expected === "put" && outcome.value !== undefined && !sameValue(commit.value, outcome.value))
      yield lost(`${said} as ${valueText(outcome.value)}, and the log has ${valueText(commit.value)}`);
  }
}

function* lostAtEnd({ calls }: History, finals: readonly FinalState[]): Generator<HistoryViolation> {
  const writes = groupedBy(calls.filter(isWrite), ({ key }) => key);
  for (const { key, item } of finals) {
    const ofKey = writes.get(key) ?? [];
    const acknowledged = ofKey.filter(({ outcome }) => outcome.is === "ok");
    if (acknowledged.length === 0) continue;
    const possible = ofKey.filter((call) => call.outcome.is !== "refused" && mayHaveLeft(call, item));
    if (possible.length === 0) yield lost(`no client wrote the final value of ${key}: ${describe(item)}`);
    else if (!possible.some((call) => !acknowledged.some((other) => isLater(other, call, item)))) {
      const last = acknowledged.find((other) => possible.every((call) => isLater(other, call, item)));
      yield lost(`${describeCall(last ?? first(acknowledged))} was acknowledged, and the end is ${describe(item)}`);
    }
  }
}

/** Reports whether the key would have its final state if this call was the last to take effect. */
function mayHaveLeft({ verb, asked, outcome }: Call, item: ListedItem | undefined): boolean {
  if (item === undefined) return verb === "delete";
  if (verb === "delete") return false;
  if (outcome.is === "ok" && outcome.revision !== undefined && outcome.revision !== item.revision) return false;
  if (outcome.is === "ok" && outcome.value !== undefined) return sameValue(outcome.value, item.value);
  if (verb !== "patch") return sameValue(asked, item.value);
  return Object.entries(asked ?? {}).every(([field, text]) => item.value[field] === text);
}

/**
 * Reports whether `other` certainly took effect after `call`, if `call` left the key in this state.
 */
function isLater(other: Call, call: Call, item: ListedItem | undefined): boolean {
  if (other === call) return false;
  const revision = answeredRevision(other);
  const left = item?.revision ?? answeredRevision(call);
  if (left !== undefined && revision !== undefined) return revision > left;
  return other.startMs > call.endMs;
}

function answeredRevision({ outcome }: Call): number | undefined {
  return outcome.is === "ok" ? outcome.revision : undefined;
}

/** The final state is taken from the log if clients have not read it. */
function finalsOf({ finals }: History, log: CommitLog | undefined): readonly FinalState[] {
  if (finals !== undefined || log === undefined) return finals ?? [];
  const items = new Map(log.itemsAt(Infinity, "").map((item) => [item.key, item]));
  return [...new Set(log.commits.map(({ key }) => key))].map((key) => {
    const item = items.get(key);
    return { kind: "final", key, ...(item && { item }) };
  });
}

function describe(item: ListedItem | undefined): string {
  return item === undefined ? "that it does not exist" : `revision ${item.revision}, ${valueText(item.value)}`;
}

function first(calls: readonly Call[]): Call {
  const [call] = calls;
  if (call === undefined) throw new Error("there is no call");
  return call;
}

function lost(message: string): HistoryViolation {
  return { invariant: "writes-are-durable", message };
}
