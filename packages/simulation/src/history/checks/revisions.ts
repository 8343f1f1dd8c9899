import { type Call, describeCall, type History, type HistoryViolation, isWrite, valueText } from "../history.ts";

/**
 * Each commit has one revision, which is higher than all earlier revisions. A revision means the
 * same object to all clients, and two writes have the same revision in their responses only if the
 * second write did not change the object.
 */
export function checkRevisions(history: History): HistoryViolation[] {
  return [...unordered(history), ...ambiguous(history), ...answeredTwice(history)];
}

function* unordered({ commits = [] }: History): Generator<HistoryViolation> {
  let last = 0;
  for (const { revision, key } of commits) {
    if (revision <= last) yield reused(`revision ${revision} of ${key} was committed after revision ${last}`);
    last = Math.max(last, revision);
  }
}

/** The meaning of a revision: an object and its fields. */
interface Meaning {
  readonly by: string;
  readonly key: string;
  readonly value: string | undefined;
}

function* ambiguous(history: History): Generator<HistoryViolation> {
  const known = new Map<number, Meaning>();
  for (const { revision, ...meaning } of meanings(history)) {
    const before = known.get(revision);
    if (before === undefined || before.value === undefined) known.set(revision, meaning);
    if (before === undefined) continue;
    const { by, key, value } = meaning;
    const differs = value !== undefined && before.value !== undefined && value !== before.value;
    if (key !== before.key || differs)
      yield reused(
        `revision ${revision} is ${before.key} ${before.value ?? ""} to ${before.by}, and ${key} ${value ?? ""} to ${by}`,
      );
  }
}

function* meanings({ calls, lists, watches, commits = [] }: History): Generator<Meaning & { revision: number }> {
  for (const { revision, key, type, value } of commits)
    yield { by: "the log", revision, key, value: type === "put" ? valueText(value) : undefined };
  for (const call of calls) {
    const { outcome, key } = call;
    if (outcome.is !== "ok" || outcome.revision === undefined) continue;
    const value = call.verb !== "delete" && outcome.value !== undefined ? valueText(outcome.value) : undefined;
    yield { by: describeCall(call), revision: outcome.revision, key, value };
  }
  for (const { client, id, pages } of lists) {
    for (const { revision, key, value } of pages.flatMap(({ items }) => items))
      yield { by: `${client}#${id} list`, revision, key, value: valueText(value) };
  }
  for (const { client, id, frames } of watches) {
    for (const frame of frames) {
      if (frame.type === "BOOKMARK") continue;
      const value = frame.type === "DELETED" ? undefined : valueText(frame.value);
      yield { by: `${client}#${id} watch`, revision: frame.revision, key: frame.key, value };
    }
  }
}

function* answeredTwice({ calls }: History): Generator<HistoryViolation> {
  const writers = new Map<number, Call>();
  for (const call of calls) {
    if (!isWrite(call) || call.outcome.is !== "ok" || call.outcome.revision === undefined) continue;
    const { revision } = call.outcome;
    const other = writers.get(revision);
    writers.set(revision, call);
    if (other === undefined || couldBeSame(call, other)) continue;
    yield reused(`${describeCall(other)} and ${describeCall(call)} were both answered with revision ${revision}`);
  }
}

function couldBeSame(one: Call, other: Call): boolean {
  const isRepeat = (call: Call) => call.verb === "update" || call.verb === "patch";
  if (one.key !== other.key || !(isRepeat(one) || isRepeat(other))) return false;
  return valueText(one.asked) === valueText(other.asked) || one.verb !== other.verb;
}

function reused(message: string): HistoryViolation {
  return { invariant: "revisions-rise", message };
}
