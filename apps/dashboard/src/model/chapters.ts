import type { TimelineEntry } from "@kintsugi/api";
import { afterText, countText } from "./words.ts";

/** Steps with one cause, described in one sentence. */
export interface Chapter {
  readonly key: string;
  readonly is: ChapterKind;
  readonly atMs: number;
  readonly text: string;
  /** The steps themselves, oldest first. */
  readonly steps: readonly TimelineEntry[];
}

type ChapterKind = "start" | "crash" | "lost" | "end" | "silent" | "back" | "other";

/** Steps of one cause follow each other within this time. */
const causeMs = 3_000;
/**
 * Longest time of a pod's start, in which images may be pulled, or of its end, which may be on a
 * silent node.
 */
const wholeMaxMs = 10 * 60_000;

interface Draft {
  readonly is: ChapterKind;
  readonly group: string;
  readonly atMs: number;
  lastMs: number;
  readonly steps: TimelineEntry[];
}

/** Groups steps by their cause: three steps of a pod's start are one chapter. Oldest first. */
export function chaptersOf(steps: readonly TimelineEntry[]): Chapter[] {
  const drafts: Draft[] = [];
  /** The chapter to which a pod's next step may belong. */
  const ofObject = new Map<string, Draft>();
  const ofGroup = new Map<string, Draft>();
  for (const step of withExactTimes(steps).toSorted(byTime)) {
    const object = objectOf(step);
    const own = ofObject.get(object);
    const isOver = isStarted(own, step) && !(own !== undefined && isFirstTaint(step, own));
    const is = kindOf(step, own?.is, isOver);
    const group = `${is} ${step.kind} ${step.namespace}/${nameOfGroup(step, is)} ${step.what === "created" || step.kind === "Node" ? "" : step.node}`;
    const near = ofGroup.get(group);
    const ownMaxMs = is === "start" || is === "end" ? wholeMaxMs : causeMs;
    let draft = own?.is === is && step.timeMs - own.lastMs <= ownMaxMs ? own : undefined;
    draft ??= is !== "other" && near !== undefined && step.timeMs - near.lastMs <= causeMs ? near : undefined;
    if (draft === undefined) {
      draft = { is, group, atMs: step.timeMs, lastMs: step.timeMs, steps: [] };
      drafts.push(draft);
    }
    draft.steps.push(step);
    draft.lastMs = step.timeMs;
    ofObject.set(object, draft);
    ofGroup.set(group, draft);
  }
  return drafts.map(({ is, group, atMs, steps: own }) => ({
    key: `${group} ${atMs}`,
    is,
    atMs,
    steps: own,
    text: textOf(is, own),
  }));
}

function objectOf({ kind, namespace, name }: TimelineEntry): string {
  return `${kind}/${namespace}/${name}`;
}

/** An object is created before its other steps of the same time. */
function byTime(a: TimelineEntry, b: TimelineEntry): number {
  return a.timeMs - b.timeMs || Number(b.what === "created") - Number(a.what === "created");
}

/** A node reports the start of a container to the second. */
const reportedToMs = 1_000;

/**
 * A node reports whole seconds, so a step may have a time before the creation of its pod. Moves
 * such a step to a time after the creation.
 */
function withExactTimes(steps: readonly TimelineEntry[]): TimelineEntry[] {
  const createdMs = new Map(
    steps.flatMap((step) => (step.what === "created" ? [[objectOf(step), step.timeMs] as const] : [])),
  );
  return steps.map((step) => {
    const fromMs = createdMs.get(objectOf(step)) ?? step.timeMs;
    const isRounded = step.timeMs < fromMs && fromMs - step.timeMs < reportedToMs;
    return isRounded ? { ...step, timeMs: fromMs } : step;
  });
}

/** A node that joins has the taint of a node that is not ready for a moment. */
function isFirstTaint({ timeMs, detail, what }: TimelineEntry, { is, lastMs }: Draft): boolean {
  const isTaint = what === "taint-added" || what === "taint-removed";
  return isTaint && is === "start" && timeMs - lastMs <= causeMs && detail.includes("node.kubernetes.io/not-ready");
}

/** Pods of a workload share one cause, and so do nodes that join. */
function nameOfGroup({ kind, name }: TimelineEntry, is: ChapterKind): string {
  if (kind === "Pod") return baseOf(name);
  return is === "start" ? "" : name;
}

/** Reports whether the start that a step would belong to has ended. */
function isStarted(draft: Draft | undefined, { name }: TimelineEntry): boolean {
  return (
    draft?.is === "start" && draft.steps.some((step) => step.name === name && step.detail.startsWith("Ready=True"))
  );
}

function kindOf({ kind, what, detail }: TimelineEntry, known: ChapterKind | undefined, isOver: boolean): ChapterKind {
  const before = isOver ? undefined : known;
  if (kind === "Node") {
    if (what === "created" || (before === "start" && !detail.startsWith("Ready=Unknown"))) return "start";
    if (detail.startsWith("Ready=Unknown") || (what === "taint-added" && detail.includes("unreachable")))
      return "silent";
    if (detail.startsWith("Ready=True") || what === "taint-removed") return "back";
    return "other";
  }
  if (what === "created" || what === "bound") return "start";
  // A pod that ends has no other steps, regardless of its containers' reports.
  if (what === "terminating" || what === "deleted" || before === "end") return "end";
  if (what === "container-waiting" && /ContainerCreating|PodInitializing/.test(detail)) return before ?? "start";
  if (what === "container-terminated" || what === "container-waiting" || detail.includes(": restart ")) return "crash";
  if (detail.startsWith("Ready=Unknown") || detail.startsWith("Ready=False"))
    return before === "crash" || before === "start" ? before : "lost";
  return before === "start" || before === "crash" ? before : "other";
}

/** The workload's name as the beginning of generated names. */
function baseOf(name: string): string {
  return name
    .replace(/-[bcdfghjklmnpqrstvwxz2456789]{5}$/, "")
    .replace(/-[bcdfghjklmnpqrstvwxz2456789]{6,10}$/, "")
    .replace(/-\d+$/, "");
}

function textOf(is: ChapterKind, steps: readonly TimelineEntry[]): string {
  const [first] = steps;
  if (first === undefined || is === "other") return "";
  const names = [...new Set(steps.map(({ name }) => name))];
  const nodes = [...new Set(steps.map(({ node }) => node))].filter((each) => each !== "");
  const [node = ""] = nodes;
  const place = nodes.length === 0 ? "" : nodes.length === 1 ? ` on ${node}` : ` on ${nodes.length} nodes`;
  const who =
    names.length === 1 || first.kind === "Node"
      ? `${first.name}`
      : `${countText(names.length, "pod")} of ${baseOf(first.name)}`;
  const many = names.length > 1 && first.kind === "Pod";
  // The text of a start is the text of its last pod.
  const tookMs = (steps.at(-1)?.timeMs ?? 0) - first.timeMs;
  switch (is) {
    case "start": {
      if (first.kind === "Node")
        return names.length === 1 ? `${who} joined` : `${countText(names.length, "node")} joined`;
      const ready = new Set(steps.flatMap(({ detail, name }) => (detail.startsWith("Ready=True") ? [name] : []))).size;
      if (ready >= names.length) return `${who} started${place}: Ready ${afterText(tookMs)}`;
      if (node === "") return `${who} ${many ? "were" : "was"} created, Pending`;
      return `${who} ${many ? "start" : "starts"}${place}`;
    }
    case "end": {
      const gone = new Set(steps.flatMap(({ what, name }) => (what === "deleted" ? [name] : []))).size;
      if (gone < names.length) return `${who}${place} ${many ? "are" : "is"} Terminating`;
      return `${who}${place} ${many ? "were" : "was"} deleted: gone ${afterText(tookMs)}`;
    }
    case "lost":
      return `${who}${place} ${many ? "are" : "is"} NotReady`;
    case "crash":
      return crashText(who, steps);
    case "silent":
      return `${who} is NotReady: it no longer reports`;
    case "back":
      return `${who} is Ready`;
  }
}

function crashText(who: string, steps: readonly TimelineEntry[]): string {
  const ended = steps.findLast(({ what }) => what === "container-terminated");
  const waits = steps.findLast(({ what }) => what === "container-waiting");
  const again = steps.findLast(({ what, detail }) => what === "container-running" || detail.startsWith("Ready=True"));
  const parts = [
    ...(ended === undefined ? [] : [`lost container ${ended.detail}`]),
    ...(again !== undefined && again.timeMs >= (waits?.timeMs ?? 0)
      ? ["runs again"]
      : waits === undefined
        ? []
        : [`waits: ${waits.detail}`]),
  ];
  // A node may report a crash late, with an earlier time. These steps are then only the conditions
  // that followed the crash.
  if (parts.length === 0) return `${who} ${new Set(steps.map(({ name }) => name)).size > 1 ? "are" : "is"} NotReady`;
  return `${who} ${parts.join(", ")}`;
}
