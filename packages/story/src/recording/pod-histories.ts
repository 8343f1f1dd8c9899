import type { Bar } from "../bar.ts";
import { workloadKey, type WorkloadRef } from "../owners.ts";
import { type FaultBar, samplesOf, silencesOf, turnsOf } from "../pod-counts.ts";
import type { ClusterStory } from "../story.ts";
import type { PodHistory } from "./story-recording.ts";

interface HistoryOptions {
  readonly workloadOf: (bar: Bar) => WorkloadRef;
  /** The number of pods that a workload wants; undefined if it does not state a number. */
  readonly wantedOf: (workload: WorkloadRef) => number | undefined;
  readonly graceMs: number;
}

/** Kinds whose pods are not counted, because they do not keep a number of pods. */
const uncounted: ReadonlySet<string> = new Set(["Pod", "Job"]);

/**
 * Counts the pods of each workload over the time of a story, and lists the silences of its nodes as
 * faults.
 */
export function podHistoriesOf(
  story: ClusterStory,
  { workloadOf, wantedOf, graceMs }: HistoryOptions,
): { pods: PodHistory[]; faults: FaultBar[] } {
  const lanes = story.lanes.filter(({ node }) => node !== "");
  const silences = new Map(lanes.map((lane) => [lane.node, silencesOf(lane, { graceMs })]));
  const groups = new Map<string, { workload: WorkloadRef; bars: Bar[] }>();
  for (const bar of story.bars()) {
    if (bar.node === "") continue;
    const workload = workloadOf(bar);
    if (uncounted.has(workload.kind)) continue;
    const group = groups.get(workloadKey(workload)) ?? { workload, bars: [] };
    group.bars.push(bar);
    groups.set(workloadKey(workload), group);
  }
  const pods = [...groups.values()].map(({ workload, bars }): PodHistory => {
    const wanted = wantedOf(workload) ?? bars.filter(({ toMs }) => toMs === undefined).length;
    const turns = turnsOf(bars, { wanted, silences: (node) => silences.get(node) ?? [] });
    return { workload: workload.name, of: workload, samples: samplesOf(turns) };
  });
  const faults = [...silences].flatMap(([node, own]) => own.map((silence) => silenceBar(node, silence)));
  return { pods, faults: faults.toSorted((a, b) => a.fromMs - b.fromMs) };
}

/** The bar of a node's silence; its end is Infinity while the silence lasts. */
export function silenceBar(node: string, { fromMs, toMs }: { fromMs: number; toMs: number }): FaultBar {
  return { fromMs, toMs: toMs === Infinity ? undefined : toMs, text: `${node} silent` };
}

/**
 * Reports whether a history is the history of a workload; a simulation has only one workload of
 * each name.
 */
export function isHistoryOf({ workload, of }: PodHistory, ref: WorkloadRef): boolean {
  return of === undefined ? workload === ref.name : workloadKey(of) === workloadKey(ref);
}
