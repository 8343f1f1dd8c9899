import { type FaultBar, type PodHistory, type PodSample, workloadKey, type WorkloadRef } from "@kintsugi/story";
import type { PodsOverTime } from "../drawing/frame.ts";

/**
 * Adds up the recorded pods of the shown workloads; if no workload is known by its name, of all
 * workloads.
 */
export function historyOf(
  { pods, faults, toMs }: { pods: readonly PodHistory[]; faults: readonly FaultBar[]; toMs: number },
  shown: readonly { readonly workload: WorkloadRef }[],
): PodsOverTime {
  const names = new Set(shown.map(({ workload }) => workload.name));
  const keys = new Set(shown.map(({ workload }) => workloadKey(workload)));
  const own = pods.filter(({ workload, of }) => (of === undefined ? names.has(workload) : keys.has(workloadKey(of))));
  const samples = sumOf((own.length > 0 ? own : pods).map((history) => history.samples));
  const last = samples.at(-1);
  // The last sample is valid until the end of the run.
  return { samples: last === undefined ? [] : [...samples, { ...last, atMs: toMs }], faults };
}

/** Each sample is valid until the next sample. */
function sumOf(histories: readonly (readonly PodSample[])[]): PodSample[] {
  if (histories.length === 1) return [...(histories[0] ?? [])];
  const times = [...new Set(histories.flatMap((samples) => samples.map(({ atMs }) => atMs)))].toSorted((a, b) => a - b);
  const next = histories.map(() => 0);
  return times.map((atMs) => {
    const sum = { atMs, wanted: 0, ready: 0, available: 0 };
    for (const [i, samples] of histories.entries()) {
      while ((samples[next[i] ?? 0]?.atMs ?? Infinity) <= atMs) next[i] = (next[i] ?? 0) + 1;
      const sample = samples[(next[i] ?? 0) - 1];
      if (sample === undefined) continue;
      sum.wanted += sample.wanted;
      sum.ready += sample.ready;
      sum.available += sample.available;
    }
    return sum;
  });
}
