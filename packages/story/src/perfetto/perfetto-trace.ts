import type { EventEntry, TimelineEntry } from "@kintsugi/api";
import { type Bar, podKey } from "../bar.ts";
import { replacementsOf } from "../replacements.ts";
import type { Lane } from "../lane.ts";
import type { WorkloadRef } from "../owners.ts";
import { ClusterStory } from "../story.ts";
import type { PerfettoFile, TraceEvent } from "./trace-event.ts";

// The tracks of a trace:
//
//   process "node-1"                 a node, or the pods that wait for one
//     thread 0 "node-1"              its states: ready, silent, not ready; its taints as instants
//     thread 7 "default/web-5x2kq"   a pod: states are spans, ends and Events are instants
//   process "other objects"          Events about Deployments and others, a thread each
//
// Arrows lead from a silent node to the deletions of its pods, and from a lost pod to its
// successor.

export interface TraceSource {
  /** Steps of the timeline, oldest first. */
  readonly steps: readonly TimelineEntry[];
  readonly events: readonly EventEntry[];
  /** Objects that own pods, as for `rememberOwner`. */
  readonly workloads: ReadonlyMap<string, WorkloadRef>;
  /** States without an end are drawn up to this time. */
  readonly endMs: number;
}

interface Tracks {
  readonly pidOf: ReadonlyMap<string, number>;
  readonly add: (event: TraceEvent) => void;
}

/** Writes the history of a cluster as a trace that opens in Perfetto. */
export function perfettoTrace({ steps, events, workloads, endMs }: TraceSource, clusterName: string): PerfettoFile {
  const story = new ClusterStory();
  for (const step of steps) story.apply(step);
  const lanes = story.lanes.filter(({ node, bars }) => node !== "" || bars.length > 0);
  const traceEvents: TraceEvent[] = [];
  const pidOf = new Map(lanes.map(({ node }, i) => [node, i + 1]));
  const tracks: Tracks = { pidOf, add: (event) => traceEvents.push(event) };
  for (const lane of lanes) addLane(lane, tracks, endMs);
  for (const step of steps) addStep(step, tracks);
  addEvents(events, { lanes, tracks, otherPid: lanes.length + 1 });
  addArrows(lanes, { tracks, workloads });
  return { traceEvents, displayTimeUnit: "ms", otherData: { cluster: clusterName, source: "kintsugi timeline" } };
}

const waitingName = "waiting for a node";

function addLane({ node, spans, bars }: Lane, { pidOf, add }: Tracks, endMs: number): void {
  const pid = pidOf.get(node) ?? 0;
  const name = node === "" ? waitingName : node;
  add({ ph: "M", pid, tid: 0, name: "process_name", args: { name } });
  add({ ph: "M", pid, tid: 0, name: "process_sort_index", args: { sort_index: pid } });
  add({ ph: "M", pid, tid: 0, name: "thread_name", args: { name } });
  spans.forEach(({ fromMs, state, isCordoned, evicts }, i) => {
    const words = [state, ...(isCordoned ? ["cordoned"] : []), ...(evicts ? ["its pods are evicted"] : [])];
    const toMs = spans[i + 1]?.fromMs ?? endMs;
    add({ ph: "X", pid, tid: 0, ...stretch(fromMs, toMs), name: words.join(", "), cat: "node", args: { node } });
  });
  for (const bar of bars) addBar(bar, { pid, add }, endMs);
}

function addBar(bar: Bar, { pid, add }: { pid: number; add: Tracks["add"] }, endMs: number): void {
  const tid = bar.number;
  add({ ph: "M", pid, tid, name: "thread_name", args: { name: podKey(bar) } });
  add({ ph: "M", pid, tid, name: "thread_sort_index", args: { sort_index: tid } });
  bar.spans.forEach(({ fromMs, state, because }, i) => {
    const toMs = bar.spans[i + 1]?.fromMs ?? bar.toMs ?? endMs;
    add({ ph: "X", pid, tid, ...stretch(fromMs, toMs), name: state, cat: "pod", args: { pod: podKey(bar), because } });
  });
  for (const { atMs, is, detail } of bar.marks)
    add({ ph: "i", pid, tid, ts: micro(atMs), s: "t", name: `container ${is}`, cat: "container", args: { detail } });
}

const nodeInstants: ReadonlySet<string> = new Set(["taint-added", "taint-removed", "cordoned", "uncordoned"]);

/**
 * Taints and cordons as instants, with their own texts; the other steps of a node are its spans.
 */
function addStep({ kind, name, what, detail, timeMs }: TimelineEntry, { pidOf, add }: Tracks): void {
  const pid = kind === "Node" ? pidOf.get(name) : undefined;
  if (pid === undefined || !nodeInstants.has(what)) return;
  add({ ph: "i", pid, tid: 0, ts: micro(timeMs), s: "t", name: what, cat: "node", args: { detail } });
}

/** The Events of Kubernetes, on the track of their object, or on a new track for it. */
function addEvents(
  events: readonly EventEntry[],
  { lanes, tracks, otherPid }: { lanes: readonly Lane[]; tracks: Tracks; otherPid: number },
): void {
  const barsOf = new Map<string, Bar[]>();
  for (const bar of lanes.flatMap(({ bars }) => bars)) {
    const known = barsOf.get(podKey(bar));
    if (known === undefined) barsOf.set(podKey(bar), [bar]);
    else known.push(bar);
  }
  const others = new Map<string, number>();
  const placeOf = (event: EventEntry): { pid: number; tid: number } => {
    const nodePid = event.kind === "Node" ? tracks.pidOf.get(event.name) : undefined;
    if (nodePid !== undefined) return { pid: nodePid, tid: 0 };
    const bars = event.kind === "Pod" ? barsOf.get(podKey(event)) : undefined;
    const bar = bars?.findLast(({ fromMs }) => fromMs <= event.timeMs + secondMs) ?? bars?.[0];
    if (bar !== undefined) return { pid: tracks.pidOf.get(bar.node) ?? otherPid, tid: bar.number };
    return { pid: otherPid, tid: otherTrack(event, others, { otherPid, add: tracks.add }) };
  };
  for (const event of events) {
    const { reason, message, timeMs, count = 1 } = event;
    const args = { message, ...(count > 1 ? { count } : {}) };
    tracks.add({ ph: "i", ...placeOf(event), ts: micro(timeMs), s: "t", name: reason, cat: "event", args });
  }
}

/** Events have a precision of a second, and steps of a millisecond. */
const secondMs = 1_000;

function otherTrack(
  { kind, namespace, name }: EventEntry,
  others: Map<string, number>,
  { otherPid, add }: { otherPid: number; add: Tracks["add"] },
): number {
  const label = `${kind} ${namespace === "" ? "" : `${namespace}/`}${name}`;
  const known = others.get(label);
  if (known !== undefined) return known;
  if (others.size === 0) add({ ph: "M", pid: otherPid, tid: 0, name: "process_name", args: { name: "other objects" } });
  const tid = others.size + 1;
  others.set(label, tid);
  add({ ph: "M", pid: otherPid, tid, name: "thread_name", args: { name: label } });
  return tid;
}

interface Arrow {
  readonly name: string;
  readonly from: { readonly pid: number; readonly tid: number; readonly atMs: number };
  readonly to: { readonly pid: number; readonly tid: number; readonly atMs: number };
}

function addArrows(
  lanes: readonly Lane[],
  { tracks, workloads }: { tracks: Tracks; workloads: ReadonlyMap<string, WorkloadRef> },
): void {
  const { pidOf, add } = tracks;
  const replacements = replacementsOf(
    lanes.flatMap(({ bars }) => bars),
    workloads,
  );
  const trackOf = (bar: Bar) => ({ pid: pidOf.get(bar.node) ?? 0, tid: bar.number });
  const arrows: Arrow[] = replacements.map(({ lost, lostMs, next }) => ({
    name: "replaced by",
    // A pod that no longer exists does not have a span after its end.
    from: { ...trackOf(lost), atMs: Math.min(lostMs, lost.toMs ?? lostMs) },
    to: { ...trackOf(next), atMs: next.fromMs },
  }));
  for (const lane of lanes) arrows.push(...evictionArrows(lane, { pid: pidOf.get(lane.node) ?? 0, trackOf }));
  arrows.forEach(({ name, from, to }, i) => {
    const about = { id: i + 1, name, cat: "cause" };
    add({ ph: "s", pid: from.pid, tid: from.tid, ts: micro(from.atMs), ...about });
    add({ ph: "f", pid: to.pid, tid: to.tid, ts: micro(to.atMs), bp: "e", ...about });
  });
}

/** Arrows lead from a node that became silent to the deletions of its pods. */
function evictionArrows(
  { spans, bars }: Lane,
  { pid, trackOf }: { pid: number; trackOf: (bar: Bar) => { pid: number; tid: number } },
): Arrow[] {
  return spans.flatMap(({ state, fromMs }, i) => {
    if (state !== "silent" || spans[i - 1]?.state === "silent") return [];
    const backMs = spans.slice(i).find((span) => span.state === "ready")?.fromMs ?? Infinity;
    return bars.flatMap((bar) => {
      const end = bar.spans.find((span) => span.state === "terminating");
      if (end === undefined || end.fromMs < fromMs || end.fromMs > backMs) return [];
      return [{ name: "evicted", from: { pid, tid: 0, atMs: fromMs }, to: { ...trackOf(bar), atMs: end.fromMs } }];
    });
  });
}

function micro(ms: number): number {
  return Math.round(ms * 1_000);
}

/** A span without length is not drawn, and an arrow cannot bind to it. */
function stretch(fromMs: number, toMs: number): { ts: number; dur: number } {
  return { ts: micro(fromMs), dur: Math.max(1, micro(toMs) - micro(fromMs)) };
}
