import type {
  Call,
  Commit,
  History,
  ListCall,
  ListedItem,
  Outcome,
  Value,
  Verb,
  WatchFrame,
  WatchStream,
} from "../history.ts";

/** Keys in tests are one letter. */
export function ok(revision?: number, value?: Value): Outcome {
  return { is: "ok", ...(revision === undefined ? {} : { revision }), ...(value && { value }) };
}

export const unknown: Outcome = { is: "unknown", because: "connection reset" };

export function refused(status: number): Outcome {
  return { is: "refused", status, reason: status === 404 ? "NotFound" : "Conflict" };
}

/**
 * Makes "update a", from its start to its end; it sends the response's value unless `rest` differs.
 */
export function aCall(
  what: `${Verb} ${string}`,
  times: [number, number],
  rest: Partial<Call> & { outcome: Outcome },
): Call {
  const [verb, key] = what.split(" ") as [Verb, string];
  const [startMs, endMs] = times;
  const { outcome } = rest;
  const asked = verb !== "get" && outcome.is === "ok" && outcome.value ? { asked: outcome.value } : {};
  const end = outcome.is === "unknown" ? Infinity : endMs;
  return { kind: "call", client: "client", id: startMs, verb, key, startMs, endMs: end, ...asked, ...rest };
}

export function aPut(revision: number, key: string, value: Value): Commit {
  return { kind: "commit", type: "put", revision, key, value };
}

export function aDelete(revision: number, key: string, value: Value = {}): Commit {
  return { kind: "commit", type: "delete", revision, key, value };
}

export function aWatch(fromRevision: number, frames: readonly string[], rest: Partial<WatchStream> = {}): WatchStream {
  return {
    kind: "watch",
    client: "watcher",
    id: 1,
    prefix: "",
    fromRevision,
    startMs: 1000,
    endMs: 2000,
    frames: frames.map(frameOf),
    end: "closed",
    ...rest,
  };
}

/** "ADDED a@3 one": the value is `{ v: "one" }`. "BOOKMARK 7". */
function frameOf(text: string, index: number): WatchFrame {
  const [type, at = "", v = ""] = text.split(" ");
  const atMs = 1001 + index;
  if (type === "BOOKMARK") return { type, revision: Number(at), atMs };
  const [key = "", revision] = at.split("@");
  return { type: type as "ADDED", key, revision: Number(revision), value: { v }, atMs };
}

/**
 * Pages are texts such as "7: a@3 one, b@5 two", because the keys of an object would lose their
 * order.
 */
export function aList(times: [number, number], pages: readonly string[], rest: Partial<ListCall> = {}): ListCall {
  const [startMs, endMs] = times;
  const listed = pages.map((text) => {
    const [revision, items = ""] = text.split(": ");
    return { revision: Number(revision), items: items.split(", ").filter(Boolean).map(itemOf), startMs, endMs };
  });
  return {
    kind: "list",
    client: "lister",
    id: startMs,
    prefix: "",
    pages: listed,
    startMs,
    endMs,
    outcome: { is: "ok" },
    ...rest,
  };
}

function itemOf(text: string): ListedItem {
  const [at = "", v = ""] = text.split(" ");
  const [key = "", revision] = at.split("@");
  return { key, revision: Number(revision), value: { v } };
}

export function aHistory(parts: Partial<History>): History {
  return { calls: [], lists: [], watches: [], ...parts };
}
