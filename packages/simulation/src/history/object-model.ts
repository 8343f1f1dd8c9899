import { groupedBy } from "./grouped.ts";
import {
  type Call,
  describeCall,
  type FinalState,
  type History,
  type HistoryViolation,
  isWrite,
  sameValue,
  type Value,
  valueText,
} from "./history.ts";
import { findOrder, type Operation } from "./search.ts";

/** The state of one key, as far as its history shows. */
interface ObjectState {
  readonly value: Value | undefined;
  /** Undefined until a response names the revision of this state. */
  readonly revision: number | undefined;
  /** A lower bound of the revision, exclusive. */
  readonly above: number;
}

/**
 * Longer histories of one key are left to the check with the log, because too many orders are
 * possible.
 */
const operationsMax = 400;
const stepsMax = 100_000;

/**
 * Checks linearizability without a log: for each key, some order of its calls that respects their
 * times must explain every response, including revisions where responses have them. A key whose
 * history is too long or too complex to decide passes.
 */
export function checkOrders({ calls, finals = [] }: History): HistoryViolation[] {
  const violations: HistoryViolation[] = [];
  const telling = calls.filter((call) => isWrite(call) || call.outcome.is !== "unknown");
  for (const [key, ofKey] of groupedBy(telling, (call) => call.key)) {
    const final = finals.find((each) => each.key === key);
    const operations = [...ofKey.map(operationOf), ...(final ? [finalOperation(final)] : [])];
    if (operations.length > operationsMax) continue;
    const result = findOrder(nothing, operations, { textOf, stepsMax });
    if (result === "impossible")
      violations.push({
        invariant: "calls-are-linearizable",
        message: `no order of the calls explains the responses about ${key}: ${tellOf(ofKey)}`,
      });
  }
  return violations;
}

const nothing: ObjectState = { value: undefined, revision: undefined, above: 0 };

function textOf({ value, revision, above }: ObjectState): string {
  return `${revision ?? `>${above}`} ${valueText(value)}`;
}

function operationOf(call: Call): Operation<ObjectState> {
  const { startMs, endMs, outcome } = call;
  switch (outcome.is) {
    case "unknown":
      return { startMs, endMs: Infinity, next: (state) => perform(call, state) };
    case "refused":
      return { startMs, endMs, next: (state) => (mayRefuse(call, outcome.status, state) ? [state] : []) };
    case "ok": {
      const { value, revision } = outcome;
      if (call.verb === "get")
        return { startMs, endMs, next: (state) => (state.value ? fit(state, { value, revision }) : []) };
      const answer = call.verb === "delete" ? { revision } : { value, revision };
      return {
        startMs,
        endMs,
        next: (state) => [
          ...perform(call, state).flatMap((after) => fit(after, answer)),
          ...(isRepeat(call, state) ? fit(state, answer) : []),
        ],
      };
    }
  }
}

function finalOperation({ item }: FinalState): Operation<ObjectState> {
  const afterAll = Number.MAX_VALUE;
  return {
    startMs: afterAll,
    endMs: afterAll,
    next: (state) => (item === undefined ? (state.value ? [] : [state]) : state.value ? fit(state, item) : []),
  };
}

/** The possible states after the call took effect; empty if it could not. */
function perform({ verb, asked, precondition }: Call, state: ObjectState): ObjectState[] {
  const { value, revision, above } = state;
  if ((verb === "create") === (value !== undefined)) return [];
  const demanded = verb === "create" ? undefined : precondition?.revision;
  const known = demanded === undefined ? [state] : fit(state, { revision: demanded });
  if (known.length === 0) return [];
  const next = { revision: undefined, above: demanded ?? revision ?? above };
  if (verb === "delete") return [{ ...next, value: undefined }];
  return [{ ...next, value: verb === "patch" ? { ...value, ...asked } : asked }];
}

/** Returns the state with the response's facts; empty if the two contradict each other. */
function fit(state: ObjectState, answer: { value?: Value | undefined; revision?: number | undefined }): ObjectState[] {
  const { value, revision } = answer;
  if (value !== undefined && !sameValue(value, state.value)) return [];
  if (revision === undefined) return [state];
  if (state.revision !== undefined) return state.revision === revision ? [state] : [];
  return revision > state.above ? [{ ...state, revision }] : [];
}

/** An update without a change is not a commit, so the object keeps its revision. */
function isRepeat({ verb, asked }: Call, { value }: ObjectState): boolean {
  if (value === undefined || (verb !== "update" && verb !== "patch")) return false;
  return sameValue(value, verb === "patch" ? { ...value, ...asked } : asked);
}

/** Rejections for other reasons do not depend on the object. */
function mayRefuse({ verb, precondition }: Call, status: number, { value, revision }: ObjectState): boolean {
  if (status === 404) return value === undefined;
  if (status !== 409) return true;
  if (verb === "create") return value !== undefined;
  const demanded = precondition?.revision;
  return demanded === undefined || revision === undefined || revision !== demanded || precondition?.uid !== undefined;
}

function tellOf(calls: readonly Call[]): string {
  const told = calls.slice(-8).map((call) => `${describeCall(call)} → ${JSON.stringify(call.outcome)}`);
  return told.join("; ");
}
