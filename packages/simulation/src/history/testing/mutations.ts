import type { Random } from "@kintsugi/clock";
import {
  type Call,
  type Commit,
  type History,
  isWrite,
  type ListCall,
  sameValue,
  type WatchFrame,
  type WatchStream,
} from "../history.ts";

/**
 * Makes a legal history illegal in one place; undefined if the history does not have a suitable
 * place.
 */
export type Mutation = (history: History, random: Random) => History | undefined;

export const mutations: Readonly<Record<string, Mutation>> = {
  "an event is dropped": inWatch((frames, random) => {
    // A missing last frame is legal, because the stream may end before this frame.
    const at = pickIndex(frames.slice(0, -1), isEvent, random);
    return at === undefined ? undefined : frames.toSpliced(at, 1);
  }),
  "two events are swapped": inWatch((frames, random) => {
    const at = pickIndex(frames.slice(0, -1), (frame, index) => isEvent(frame) && isEvent(frames[index + 1]), random);
    const [one, other] = at === undefined ? [] : frames.slice(at, at + 2);
    return at === undefined || !one || !other ? undefined : frames.toSpliced(at, 2, other, one);
  }),
  "an event comes twice": inWatch((frames, random) => {
    const at = pickIndex(frames, isEvent, random);
    const frame = at === undefined ? undefined : frames[at];
    return at === undefined || !frame ? undefined : frames.toSpliced(at, 0, frame);
  }),
  "an event has another value": inWatch((frames, random) =>
    changeEvent(frames, random, (frame) => ({ ...frame, value: { ...frame.value, v: "nobody's" } })),
  ),
  "an event has another type": inWatch((frames, random) =>
    changeEvent(frames, random, (frame) => ({ ...frame, type: frame.type === "ADDED" ? "MODIFIED" : "ADDED" })),
  ),
  "a bookmark comes before what it covers": inWatch((frames, random) => {
    const at = pickIndex(frames, isEvent, random);
    const frame = at === undefined ? undefined : frames[at];
    if (at === undefined || !frame) return undefined;
    return frames.toSpliced(at, 0, { type: "BOOKMARK", revision: frame.revision, atMs: frame.atMs });
  }),
  "an answer has the revision of another write": (history, random) => {
    const writes = history.calls.filter((call) => isWrite(call) && revisionOf(call) !== undefined);
    const [one, other] = [random.integer(writes.length), random.integer(writes.length)].map((index) => writes[index]);
    if (!one || !other || one === other) return undefined;
    return replaceCall(history, one, {
      ...one,
      outcome: { ...one.outcome, revision: revisionOf(other) } as Call["outcome"],
    });
  },
  "two commits share a revision": (history, random) => {
    const commits = history.commits ?? [];
    const at = 1 + random.integer(Math.max(1, commits.length - 1));
    const [before, commit] = [commits[at - 1], commits[at]];
    if (!before || !commit) return undefined;
    return { ...history, commits: commits.with(at, { ...commit, revision: before.revision }) };
  },
  "an acknowledged write is gone": (history, random) => {
    const commits = history.commits ?? [];
    const lost = pick(
      history.calls.filter((call) => isWrite(call) && revisionOf(call) !== undefined),
      random,
    );
    if (!lost) return undefined;
    return { ...history, commits: commits.filter(({ revision }) => revision !== revisionOf(lost)) };
  },
  "a write was never asked for": (history, random) => {
    const write = pick(
      history.calls.filter((call) => isWrite(call) && call.outcome.is === "ok"),
      random,
    );
    if (!write || !isUnmistakable(write)) return undefined;
    // Changes of a key that clients do not write may come from any other client.
    if (!history.calls.some((call) => call !== write && call.key === write.key && isWrite(call))) return undefined;
    return { ...history, calls: history.calls.filter((call) => call !== write) };
  },
  "a refused write took effect": (history, random) => {
    const write = pick(
      history.calls.filter((call) => isWrite(call) && isUnmistakable(call) && revisionOf(call) !== undefined),
      random,
    );
    return (
      write &&
      replaceCall(history, write, { ...write, outcome: { is: "refused", status: 429, reason: "TooManyRequests" } })
    );
  },
  "a read is stale": (history, random) => {
    const stale = history.calls.flatMap((call) => {
      const older = call.verb === "get" && call.outcome.is === "ok" ? replacedBefore(history, call) : undefined;
      return older
        ? [replaceCall(history, call, { ...call, outcome: { is: "ok", revision: older.revision, value: older.value } })]
        : [];
    });
    return pick(stale, random);
  },
  "a page is of another revision": inList((list, random) => {
    const at = list.pages.length > 1 ? random.integer(list.pages.length) : -1;
    const page = list.pages[at];
    return page && { ...list, pages: list.pages.with(at, { ...page, revision: page.revision + 1 }) };
  }),
  "an item is missing in a list": inList((list, random) => {
    const at = pickIndex(list.pages, ({ items }) => items.length > 0, random);
    const page = at === undefined ? undefined : list.pages[at];
    // A missing last item of an interrupted list is legal.
    if (at === undefined || !page || list.outcome.is !== "ok") return undefined;
    return { ...list, pages: list.pages.with(at, { ...page, items: page.items.slice(1) }) };
  }),
  "an item of a list has another value": inList((list, random) => {
    const at = pickIndex(list.pages, ({ items }) => items.length > 0, random);
    const page = at === undefined ? undefined : list.pages[at];
    const [item, ...rest] = page?.items ?? [];
    if (at === undefined || !page || !item) return undefined;
    return {
      ...list,
      pages: list.pages.with(at, { ...page, items: [{ ...item, value: { v: "nobody's" } }, ...rest] }),
    };
  }),
  "a counter has lost an update": (history) => {
    const raises = history.calls.filter(({ increments, outcome }) => increments !== undefined && outcome.is === "ok");
    const key = raises[0]?.key;
    const finals = history.finals?.map((final) =>
      final.key === key && final.item
        ? { ...final, item: { ...final.item, value: { count: String(raises.length - 1) } } }
        : final,
    );
    return key === undefined || finals === undefined ? undefined : { ...history, finals };
  },
  "two writers win over one revision": (history, random) => {
    const winners = history.calls.filter(({ precondition, outcome }) => precondition && outcome.is === "ok");
    const winner = pick(winners, random);
    const loser = pick(
      history.calls.filter(
        ({ key, precondition, outcome, verb }) =>
          key === winner?.key && precondition && outcome.is === "refused" && verb === winner.verb,
      ),
      random,
    );
    if (!winner || !loser) return undefined;
    return replaceCall(history, loser, { ...loser, precondition: winner.precondition ?? {}, outcome: { is: "ok" } });
  },
  "the end is not what was written last": (history, random) => {
    const finals = history.finals ?? [];
    const at = pickIndex(
      finals,
      ({ key, item }) => {
        return (
          item !== undefined &&
          history.calls.some((call) => call.key === key && isWrite(call) && call.outcome.is === "ok")
        );
      },
      random,
    );
    const final = at === undefined ? undefined : finals[at];
    if (at === undefined || !final?.item) return undefined;
    const item = { ...final.item, value: { v: "nobody's" } };
    return { ...history, finals: finals.with(at, { ...final, item }) };
  },
};

function inWatch(change: (frames: readonly WatchFrame[], random: Random) => WatchFrame[] | undefined): Mutation {
  return (history, random) => {
    const at = random.integer(Math.max(1, history.watches.length));
    const watch: WatchStream | undefined = history.watches[at];
    const frames = watch && change(watch.frames, random);
    return frames && { ...history, watches: history.watches.with(at, { ...watch, frames }) };
  };
}

function inList(change: (list: ListCall, random: Random) => ListCall | undefined): Mutation {
  return (history, random) => {
    const at = random.integer(Math.max(1, history.lists.length));
    const list = history.lists[at];
    const changed = list && change(list, random);
    return changed && { ...history, lists: history.lists.with(at, changed) };
  };
}

type Event = Exclude<WatchFrame, { type: "BOOKMARK" }>;

function isEvent(frame: WatchFrame | undefined): frame is Event {
  return frame !== undefined && frame.type !== "BOOKMARK";
}

function changeEvent(
  frames: readonly WatchFrame[],
  random: Random,
  change: (event: Event) => Event,
): WatchFrame[] | undefined {
  const at = pickIndex(frames, isEvent, random);
  const frame = at === undefined ? undefined : frames[at];
  return at === undefined || !isEvent(frame) ? undefined : frames.with(at, change(frame));
}

/**
 * All deletes have the same effect, and so do all increments of a counter, so a missing call may be
 * replaced by another call with an unknown outcome.
 */
function isUnmistakable({ verb, increments }: Call): boolean {
  return verb !== "delete" && increments === undefined;
}

function revisionOf({ outcome }: Call): number | undefined {
  return outcome.is === "ok" ? outcome.revision : undefined;
}

function replaceCall(history: History, call: Call, by: Call): History {
  return { ...history, calls: history.calls.map((each) => (each === call ? by : each)) };
}

/** Returns a state of the read's key that was certainly replaced before the read began. */
function replacedBefore({ calls, commits = [] }: History, read: Call): Commit | undefined {
  const later = calls.find(
    (call) => isWrite(call) && call.key === read.key && call.endMs < read.startMs && revisionOf(call) !== undefined,
  );
  const bound = later && revisionOf(later);
  const older = commits.findLast(
    ({ key, type, revision }) => key === read.key && type === "put" && revision < (bound ?? 0),
  );
  return older && read.outcome.is === "ok" && !sameValue(older.value, read.outcome.value) ? older : undefined;
}

function pick<T>(choices: readonly T[], random: Random): T | undefined {
  return choices[random.integer(Math.max(1, choices.length))];
}

function pickIndex<T>(
  items: readonly T[],
  fits: (item: T, index: number) => boolean,
  random: Random,
): number | undefined {
  return pick(
    items.flatMap((item, index) => (fits(item, index) ? [index] : [])),
    random,
  );
}
