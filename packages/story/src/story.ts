import type { TimelineEntry } from "@kintsugi/api";
import { type Bar, type Mark, podKey, type PodState, type Span, stateOf } from "./bar.ts";
import { type Lane, type NodeSpan, Rows } from "./lane.ts";

/** A pod that gets its node within this time has no bar in the lane of waiting pods. */
const waitShownMs = 1_000;
/** Maximum number of spans and marks of one bar; the oldest are dropped. */
const spansMax = 400;
/** Limit on bars of pods that no longer exist; a page that is open for days drops the oldest. */
const endedBarsMax = 20_000;
/** Limit on steps in the list next to the picture. */
const stepsMax = 2_000;

type Writable<T> = { -readonly [K in keyof T]: T[K] };
interface OwnBar extends Writable<Omit<Bar, "spans" | "marks">> {
  spans: Span[];
  marks: Mark[];
}
interface OwnLane extends Writable<Omit<Lane, "spans" | "bars" | "rows" | "rowChanges">> {
  spans: NodeSpan[];
  bars: OwnBar[];
  readonly places: Rows;
  readonly rows: Lane["rows"];
  readonly rowChanges: number;
}

/** Names in natural order: node-2 precedes node-10. */
const byName = new Intl.Collator("en", { numeric: true });

/**
 * The picture of a cluster's history: lanes of nodes and bars of pods, built from the steps of its
 * timeline in the order of their arrival. The same steps result in the same picture.
 */
export class ClusterStory {
  readonly #lanes = new Map<string, OwnLane>();
  /** Bars of pods that exist, by namespace and name. */
  readonly #living = new Map<string, OwnBar>();
  #ended: OwnBar[] = [];
  #steps: TimelineEntry[] = [];
  #bars = 0;
  #revision = 0;
  #changes = 0;
  /** The lanes in order; undefined after a lane was added. */
  #ordered: readonly Lane[] | undefined;

  /** Lanes in the order of their nodes' names; the lane of waiting pods is first. */
  get lanes(): readonly Lane[] {
    this.#ordered ??= [...this.#lanes.values()].toSorted((a, b) => byName.compare(a.node, b.node));
    return this.#ordered;
  }

  /** The newest steps, oldest first. */
  get steps(): readonly TimelineEntry[] {
    return this.#steps;
  }

  /** The number of pods that exist. */
  get living(): number {
    return this.#living.size;
  }

  /** The newest revision of a step, from which a watch can continue. */
  get revision(): number {
    return this.#revision;
  }

  /** Counts every change, so that a drawing can detect that it is outdated. */
  get changes(): number {
    return this.#changes;
  }

  *bars(): Generator<Bar> {
    for (const lane of this.#lanes.values()) yield* lane.bars;
  }

  find(pod: { namespace: string; name: string }): Bar | undefined {
    return this.#living.get(podKey(pod));
  }

  hasNode(name: string): boolean {
    return this.#lanes.get(name)?.spans.some(({ state }) => state !== "gone") === true;
  }

  apply(entry: TimelineEntry): void {
    this.#changes++;
    this.#revision = Math.max(this.#revision, entry.revision);
    this.#steps.push(entry);
    if (this.#steps.length > stepsMax * 1.1) this.#steps = this.#steps.slice(-stepsMax);
    if (entry.kind === "Node") this.#applyNode(entry);
    else if (entry.kind === "Pod") this.#applyPod(entry);
  }

  #applyNode({ name, what, detail, timeMs }: TimelineEntry): void {
    const { spans } = this.#lane(name);
    const before = spans.at(-1) ?? { fromMs: timeMs, state: "notReady", isCordoned: false, evicts: false };
    const after = nodeAfter(before, what, detail);
    if (spans.length > 0 && sameNodeSpan(before, after)) return;
    spans.push({ ...after, fromMs: timeMs });
    if (spans.length > spansMax) spans.shift();
  }

  #applyPod(entry: TimelineEntry): void {
    const { what, detail, timeMs } = entry;
    if (what === "deleted") return this.#end(entry);
    const bar = this.#bar(entry);
    switch (what) {
      case "bound":
        return this.#bind(bar, detail, timeMs);
      case "container-terminated":
        return addMark(bar, { atMs: timeMs, is: "ended", detail });
      case "container-running":
        if (detail.includes(": restart ")) addMark(bar, { atMs: timeMs, is: "restarted", detail });
        if (stateOf(bar) === "waiting") addSpan(bar, { fromMs: timeMs, state: "starting", because: detail });
        return;
      default: {
        const state = podStateAfter(stateOf(bar), what, detail);
        if (state !== stateOf(bar)) addSpan(bar, { fromMs: timeMs, state, because: `${what} ${detail}`.trim() });
      }
    }
  }

  /** The bar of an existing pod. If the pod's past is unknown, its bar begins with this step. */
  #bar(entry: TimelineEntry): OwnBar {
    const known = this.#living.get(podKey(entry));
    if (known !== undefined && entry.what !== "created") return known;
    // A pod whose deletion was missed has a successor of the same name.
    if (known !== undefined) this.#end(entry);
    return this.#begin(entry, entry.node, entry.timeMs);
  }

  #begin({ namespace, name }: { namespace: string; name: string }, node: string, atMs: number): OwnBar {
    const lane = this.#lane(node);
    const bar: OwnBar = {
      number: ++this.#bars,
      namespace,
      name,
      node,
      row: lane.places.take(atMs),
      fromMs: atMs,
      toMs: undefined,
      spans: [{ fromMs: atMs, state: "pending", because: "created" }],
      marks: [],
    };
    lane.bars.push(bar);
    this.#living.set(podKey(bar), bar);
    return bar;
  }

  /**
   * A waiting pod continues in its node's lane. The wait remains in its lane as an ended bar, if it
   * was long enough to be visible.
   */
  #bind(bar: OwnBar, node: string, atMs: number): void {
    if (bar.node === node) return;
    const waited = atMs - bar.fromMs >= waitShownMs;
    this.#close(bar, atMs);
    if (!waited) this.#drop(bar);
    const bound = this.#begin(bar, node, waited ? atMs : bar.fromMs);
    bound.marks = bar.marks;
  }

  #end(pod: { namespace: string; name: string; timeMs: number }): void {
    const bar = this.#living.get(podKey(pod));
    if (bar === undefined) return;
    this.#living.delete(podKey(pod));
    this.#close(bar, pod.timeMs);
    this.#ended.push(bar);
    if (this.#ended.length <= endedBarsMax * 1.1) return;
    const old = new Set(this.#ended.splice(0, this.#ended.length - endedBarsMax));
    for (const lane of this.#lanes.values()) lane.bars = lane.bars.filter((each) => !old.has(each));
  }

  #close(bar: OwnBar, atMs: number): void {
    bar.toMs = Math.max(atMs, bar.fromMs);
    this.#lane(bar.node).places.free(bar.row, bar.toMs);
  }

  #drop(bar: OwnBar): void {
    const lane = this.#lane(bar.node);
    lane.bars = lane.bars.filter((each) => each !== bar);
    lane.places.free(bar.row, -Infinity);
  }

  #lane(node: string): OwnLane {
    let lane = this.#lanes.get(node);
    if (lane === undefined) {
      const places = new Rows();
      lane = {
        node,
        spans: [],
        bars: [],
        places,
        get rows() {
          return places.all;
        },
        get rowChanges() {
          return places.changes;
        },
      };
      this.#lanes.set(node, lane);
      this.#ordered = undefined;
    }
    return lane;
  }
}

function addSpan(bar: OwnBar, span: Span): void {
  // A container's step has the node's time in whole seconds, so it may precede a step that is
  // already drawn.
  bar.spans.push({ ...span, fromMs: Math.max(span.fromMs, bar.spans.at(-1)?.fromMs ?? 0) });
  if (bar.spans.length > spansMax) bar.spans.shift();
}

function addMark(bar: OwnBar, mark: Mark): void {
  bar.marks.push(mark);
  if (bar.marks.length > spansMax) bar.marks.shift();
}

function sameNodeSpan(a: NodeSpan, b: NodeSpan): boolean {
  return a.state === b.state && a.isCordoned === b.isCordoned && a.evicts === b.evicts;
}

function nodeAfter(before: NodeSpan, what: string, detail: string): NodeSpan {
  switch (what) {
    case "condition":
      if (detail.startsWith("Ready=True")) return { ...before, state: "ready" };
      if (detail.startsWith("Ready=False")) return { ...before, state: "notReady" };
      return detail.startsWith("Ready=Unknown") ? { ...before, state: "silent" } : before;
    case "taint-added":
      return detail.endsWith(":NoExecute") ? { ...before, evicts: true } : before;
    case "taint-removed":
      return detail.endsWith(":NoExecute") ? { ...before, evicts: false } : before;
    case "cordoned":
      return { ...before, isCordoned: true };
    case "uncordoned":
      return { ...before, isCordoned: false };
    case "created":
      return { fromMs: before.fromMs, state: "notReady", isCordoned: false, evicts: false };
    case "deleted":
      return { ...before, state: "gone" };
    default:
      return before;
  }
}

/** A pod that is terminating, or has ended, keeps that state regardless of its containers. */
function podStateAfter(before: PodState, what: string, detail: string): PodState {
  if (before === "terminating") return before;
  if (what === "terminating") return "terminating";
  if (what === "phase") {
    if (detail.startsWith("Succeeded")) return "succeeded";
    if (detail.startsWith("Failed")) return "failed";
    return detail.startsWith("Running") && before === "pending" ? "starting" : before;
  }
  if (before === "succeeded" || before === "failed") return before;
  if (what === "condition" && detail.startsWith("Ready=True")) return "ready";
  if (what === "condition" && detail.startsWith("Ready=False")) return before === "ready" ? "unready" : before;
  if (what === "condition" && detail.startsWith("Ready=Unknown")) return "unready";
  if (what !== "container-waiting") return before;
  return /BackOff|ErrImage|Error|InvalidImageName/.test(detail)
    ? "waiting"
    : before === "pending"
      ? "starting"
      : before;
}
