import { CommitLog } from "../commit-log.ts";
import {
  type History,
  type HistoryViolation,
  isSelected,
  type ListCall,
  type ListedItem,
  valueText,
  type WatchStream,
} from "../history.ts";
import { RevisionBounds } from "../revision-bounds.ts";

/**
 * A list is the state of one revision, including all of its pages, and not older than any state
 * that was seen before it began. A list plus the events of a watch from its revision equals the
 * next list.
 */
export function checkLists(history: History): HistoryViolation[] {
  const log = history.commits && new CommitLog(history.commits);
  const bounds = new RevisionBounds(history, log);
  const violations: HistoryViolation[] = [];
  for (const list of history.lists) {
    const wrong = wrongShape(list) ?? wrongTime(list, bounds) ?? (log && wrongContent(list, log));
    if (wrong !== undefined) violations.push(notSnapshot(list, wrong));
  }
  return [...violations, ...differingReplicas(history)];
}

function wrongShape(list: ListCall): string | undefined {
  const revisions = new Set(list.pages.map(({ revision }) => revision));
  if (revisions.size > 1) return `has pages of the revisions ${[...revisions].join(", ")}`;
  const items = itemsOf(list);
  const strange = items.find(({ key, value }) => !key.startsWith(list.prefix) || !isSelected(value, list.selector));
  if (strange) return `contains ${strange.key}, which was not requested`;
  const unordered = items.find(({ key }, index) => index > 0 && key <= (items[index - 1]?.key ?? ""));
  return unordered && `has ${unordered.key} twice, or out of order`;
}

function wrongTime(list: ListCall, bounds: RevisionBounds): string | undefined {
  const [first] = list.pages;
  if (first === undefined) return undefined;
  const { revision, endMs } = first;
  if (list.atRevision !== undefined)
    return revision === list.atRevision
      ? undefined
      : `was requested at revision ${list.atRevision} and is at ${revision}`;
  const seen = bounds.atLeast(list.startMs);
  if (revision < seen) return `is at revision ${revision}, although ${seen} was observed before it began`;
  const most = bounds.atMost(endMs);
  return revision > most ? `is at revision ${revision}, but the store had only reached ${most}` : undefined;
}

function wrongContent(list: ListCall, log: CommitLog): string | undefined {
  const [first] = list.pages;
  if (first === undefined) return undefined;
  const items = itemsOf(list);
  const all = log.itemsAt(first.revision, list.prefix, list.selector);
  // Items of a rejected page are not missing.
  const expected = list.outcome.is === "ok" ? all : all.slice(0, items.length);
  return difference(items, expected);
}

function itemsOf({ pages }: ListCall): ListedItem[] {
  return pages.flatMap(({ items }) => items);
}

function difference(items: readonly ListedItem[], expected: readonly ListedItem[]): string | undefined {
  const texts = new Map(items.map((item) => [item.key, textOf(item)]));
  const missing = expected.find(({ key }) => !texts.has(key));
  if (missing) return `lacks ${textOf(missing)}`;
  const other = expected.find((item) => texts.get(item.key) !== textOf(item));
  if (other) return `has ${texts.get(other.key)} instead of ${textOf(other)}`;
  return items.length > expected.length ? `has ${items.length} items instead of ${expected.length}` : undefined;
}

function textOf({ key, revision, value }: ListedItem): string {
  return `${key}@${revision} ${valueText(value)}`;
}

/**
 * Builds each watch's replica from its initial list, and compares the replica with every later list
 * that it reaches.
 */
function* differingReplicas({ lists, watches }: History): Generator<HistoryViolation> {
  const whole = lists.filter(({ outcome, pages }) => outcome.is === "ok" && pages.length > 0);
  for (const watch of watches) {
    const like = whole.filter(
      ({ prefix, selector }) => prefix === watch.prefix && sameSelector(selector, watch.selector),
    );
    const start = like.find(({ pages }) => pages[0]?.revision === watch.fromRevision);
    if (start === undefined) continue;
    for (const list of like) {
      const replica = replicaAt(watch, start, list.pages[0]?.revision ?? 0);
      const wrong = replica && difference(itemsOf(list), replica);
      if (wrong !== undefined)
        yield notSnapshot(list, `differs from a list at ${watch.fromRevision} with the watch from there: ${wrong}`);
    }
  }
}

/**
 * Returns the state at the revision according to a list and the watch from it; undefined if the
 * watch did not reach the revision.
 */
function replicaAt(watch: WatchStream, start: ListCall, revision: number): ListedItem[] | undefined {
  const reached = watch.frames.at(-1)?.revision ?? 0;
  if (revision <= watch.fromRevision || revision > reached) return undefined;
  const items = new Map(itemsOf(start).map((item) => [item.key, item]));
  for (const frame of watch.frames) {
    if (frame.type === "BOOKMARK" || frame.revision > revision) continue;
    if (frame.type === "DELETED") items.delete(frame.key);
    else items.set(frame.key, frame);
  }
  return [...items.values()].sort((one, other) => (one.key < other.key ? -1 : 1));
}

function sameSelector(one: ListCall["selector"], other: ListCall["selector"]): boolean {
  return valueText(one ?? {}) === valueText(other ?? {});
}

function notSnapshot({ client, id, prefix }: ListCall, wrong: string): HistoryViolation {
  return { invariant: "lists-are-snapshots", message: `${client}#${id} list of ${prefix} ${wrong}` };
}
