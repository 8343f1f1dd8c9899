import { strict as assert } from "node:assert";
import type { Call, Commit, FinalState, History, ListCall, StoreOpening, WatchStream } from "./history.ts";

export type JournalRecord = Call | ListCall | WatchStream | Commit | StoreOpening | FinalState;

export interface JournalDeps {
  /** The recorder's clock, with any origin. */
  nowMs: () => number;
  /** Called with each record as one line of JSON, without its line feed, for writing to a file. */
  onLine?: ((line: string) => void) | undefined;
}

/** Difference between two stamps of one instant, far below the resolution of any clock here. */
const tickMs = 1e-5;

/** The clients' calls and observations, in the order in which they ended. */
export class Journal {
  readonly #deps: JournalDeps;
  readonly #records: JournalRecord[] = [];
  #lastStampMs = -Infinity;
  #lastId = 0;

  constructor(deps: JournalDeps) {
    this.#deps = deps;
  }

  /**
   * The present time. All stamps are different, so that two records of one instant have a known
   * order.
   */
  stamp(): number {
    this.#lastStampMs = Math.max(this.#deps.nowMs(), this.#lastStampMs + tickMs);
    return this.#lastStampMs;
  }

  nextId(): number {
    return ++this.#lastId;
  }

  add(record: JournalRecord): void {
    this.#records.push(record);
    this.#deps.onLine?.(toLine(record));
  }

  /** All records so far. */
  history(): History {
    return historyOf(this.#records);
  }
}

/** @throws for a line that is not a valid record. */
export function readJournal(lines: Iterable<string>): History {
  const records: JournalRecord[] = [];
  for (const line of lines) if (line !== "") records.push(fromLine(line));
  return historyOf(records);
}

function historyOf(records: readonly JournalRecord[]): History {
  const calls: Call[] = [];
  const lists: ListCall[] = [];
  const watches: WatchStream[] = [];
  const commits: Commit[] = [];
  const openings: StoreOpening[] = [];
  const finals: FinalState[] = [];
  for (const record of records) {
    if (record.kind === "call") calls.push(record);
    else if (record.kind === "list") lists.push(record);
    else if (record.kind === "watch") watches.push(record);
    else if (record.kind === "commit") commits.push(record);
    else if (record.kind === "opening") openings.push(record);
    else finals.push(record);
  }
  return {
    calls,
    lists,
    watches,
    ...(commits.length > 0 ? { commits } : {}),
    ...(openings.length > 0 ? { openings } : {}),
    ...(finals.length > 0 ? { finals } : {}),
  };
}

/** JSON does not have Infinity, so a line contains null. */
function toLine(record: JournalRecord): string {
  return JSON.stringify(record);
}

const kinds: readonly string[] = [
  "call",
  "list",
  "watch",
  "commit",
  "opening",
  "final",
] satisfies JournalRecord["kind"][];

function fromLine(line: string): JournalRecord {
  const record = JSON.parse(line, (name, value: unknown) =>
    name === "endMs" && value === null ? Infinity : value,
  ) as JournalRecord;
  assert(kinds.includes(record.kind), `${line.slice(0, 100)} is not a record of a journal`);
  return record;
}
