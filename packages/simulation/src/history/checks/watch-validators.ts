import { CommitLog } from "../commit-log.ts";
import {
  type Commit,
  type History,
  type HistoryViolation,
  isSelected,
  sameValue,
  valueText,
  type WatchEvent,
  type WatchStream,
} from "../history.ts";

/** Checks one property of a watch: returns the stream's fault, or undefined. */
type Validator = (stream: WatchStream, log: CommitLog) => string | undefined;

/**
 * The nine watch properties of etcd's robustness tests, with etcd's names. The first five do not
 * need a log.
 */
const withoutLog = {
  Filter: ({ frames, prefix, selector }) => {
    const strange = eventsOf(frames).find(
      ({ key, type, value }) => !key.startsWith(prefix) || (type !== "DELETED" && !isSelected(value, selector)),
    );
    return strange && `${describe(strange)} was not requested`;
  },
  Ordered: ({ frames, fromRevision }) => {
    let last = fromRevision;
    for (const event of eventsOf(frames)) {
      if (event.revision < last || event.revision <= fromRevision) return `${describe(event)} was sent after ${last}`;
      last = event.revision;
    }
    return undefined;
  },
  Unique: ({ frames }) => {
    const seen = new Set<string>();
    const twice = eventsOf(frames).find(({ key, revision }) => {
      const name = `${key}@${revision}`;
      return seen.has(name) || !seen.add(name);
    });
    return twice && `${describe(twice)} was sent twice`;
  },
  // The store commits one key per revision, so a second event of a revision, of any key, splits the
  // revision.
  Atomic: ({ frames }) => {
    const keys = new Map<number, string>();
    for (const { revision, key } of eventsOf(frames)) {
      const other = keys.get(revision);
      if (other !== undefined && other !== key) return `revision ${revision} was sent as ${other} and as ${key}`;
      keys.set(revision, key);
    }
    return undefined;
  },
  Bookmarkable: ({ frames, fromRevision }) => {
    let told = fromRevision;
    let bookmark = fromRevision;
    for (const frame of frames) {
      if (frame.type === "BOOKMARK") {
        if (frame.revision < told)
          return `the bookmark ${frame.revision} was sent although ${told} had been sent before`;
        bookmark = frame.revision;
      } else if (frame.revision <= bookmark) return `${describe(frame)} was sent after the bookmark ${bookmark}`;
      told = Math.max(told, frame.revision);
    }
    return undefined;
  },
} satisfies Record<string, (stream: WatchStream) => string | undefined>;

const withLog = {
  Resumable: (stream, log) => {
    const first = eventsOf(stream.frames)[0];
    const expected = first && expectedEvents(stream, log, { until: first.revision })[0];
    return expected && expected.revision < first.revision
      ? `the first event is ${describe(first)}, but the first event after ${stream.fromRevision} is ${describe(expected)}`
      : undefined;
  },
  Reliable: (stream, log) => {
    const came = eventsOf(stream.frames);
    const expected = expectedEvents(stream, log, { until: lastRevisionOf(stream) });
    const cameAt = new Set(came.map(({ revision }) => revision));
    const missing = expected.find(({ revision }) => !cameAt.has(revision));
    if (missing) return `${describe(missing)} was never sent, although revision ${lastRevisionOf(stream)} was sent`;
    const expectedAt = new Set(expected.map(({ revision }) => revision));
    const invented = came.find(({ revision }) => !expectedAt.has(revision));
    return invented && `${describe(invented)} was sent, but the log has no such change`;
  },
  IsCreate: (stream, log) => {
    for (const { came, expected } of pairs(stream, log))
      if (came.type !== expected.type || came.key !== expected.key)
        return `${describe(came)} was sent instead of ${describe(expected)}`;
    return undefined;
  },
  // Kubernetes sends the previous object only with a deletion; the event of a put has the new
  // object.
  PrevKV: (stream, log) => {
    for (const { came, expected, commit } of pairs(stream, log)) {
      const value = came.type === "DELETED" ? log.replacedBy(commit)?.value : expected.value;
      if (value !== undefined && !sameValue(came.value, value))
        return `${describe(came)} was sent as ${valueText(came.value)} instead of ${valueText(value)}`;
    }
    return undefined;
  },
} satisfies Record<string, Validator>;

/**
 * Every watch delivers every change in its scope, once, in order and unaltered, or reports that it
 * cannot deliver them.
 */
export function checkWatches(history: History): HistoryViolation[] {
  const log = history.commits && new CommitLog(history.commits);
  const violations: HistoryViolation[] = [];
  for (const stream of history.watches) {
    const { client, id, fromRevision } = stream;
    const report = (name: string, wrong: string | undefined) => {
      if (wrong !== undefined)
        violations.push({
          invariant: "watches-are-complete",
          message: `${name}: ${client}#${id} watch from ${fromRevision}: ${wrong}`,
        });
    };
    for (const [name, validate] of Object.entries(withoutLog)) report(name, validate(stream));
    if (log) for (const [name, validate] of Object.entries(withLog)) report(name, validate(stream, log));
  }
  return violations;
}

function eventsOf(frames: WatchStream["frames"]): WatchEvent[] {
  return frames.filter((frame) => frame.type !== "BOOKMARK");
}

/** The stream claims to have delivered all changes up to this revision. */
function lastRevisionOf({ frames, fromRevision }: WatchStream): number {
  return frames.reduce((last, { revision }) => Math.max(last, revision), fromRevision);
}

type Expected = Omit<WatchEvent, "atMs">;

function expectedEvents(stream: WatchStream, log: CommitLog, { until }: { until: number }): Expected[] {
  const { prefix, selector, fromRevision } = stream;
  return log.between(fromRevision, until).flatMap((commit) => log.eventOf(commit, prefix, selector) ?? []);
}

/**
 * Yields each received event with the event that follows from the log; Reliable checks events that
 * the log lacks.
 */
function* pairs(
  { frames, prefix, selector }: WatchStream,
  log: CommitLog,
): Generator<{ came: WatchEvent; expected: Expected; commit: Commit }> {
  for (const came of eventsOf(frames)) {
    const commit = log.find(came.revision);
    const expected = commit && log.eventOf(commit, prefix, selector);
    if (commit && expected) yield { came, expected, commit };
  }
}

function describe({ type, key, revision }: Expected): string {
  return `${type} ${key}@${revision}`;
}
