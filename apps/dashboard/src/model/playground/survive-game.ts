import type { AddedFault, PlayRequest, PodSample, StoryRecording } from "@kintsugi/story";

// The game "survive" is 20 minutes of a cluster of six nodes. node-2 fails permanently after a
// minute, as in the lesson, and the pauses between further faults shrink. A seed determines these
// faults.

const minute = 60_000;
const lengthMs = 20 * minute;
const [firstMs, lastMs] = [3 * minute, 17 * minute];
/** The pause before the next fault, which shrinks by this factor each time. */
const [pauseMs, pausePart] = [150_000, 0.85];
const pauseMsMin = 35_000;
/** A request has at most 20 added faults. */
const faultsMax = 16;
/** node-1 never fails, so that the cluster can recover. */
const targets = ["node-3", "node-4", "node-5", "node-6"];
const kinds = [
  ["cut-node", 100_000],
  ["kill-kubelet", 90_000],
  ["kill-node", 3 * minute],
] as const;

/** The workload whose pods are counted, and the number of its pods that players keep available. */
export const survivor = "web";
export const podsKept = 12;

/** The faults of a seed, in the order of time. */
export function surviveFaults(seed: number): AddedFault[] {
  const draw = drawsOf(seed);
  const faults: AddedFault[] = [];
  let nextPauseMs = pauseMs;
  for (let atMs = firstMs; atMs <= lastMs && faults.length < faultsMax;) {
    const [fault, forMs] = kinds[draw(kinds.length)] ?? kinds[0];
    const node = targets[draw(targets.length)] ?? "node-3";
    const isBusy = faults.some((each) => each.node === node && each.atMs + (each.forMs ?? 0) >= atMs);
    if (!isBusy) faults.push({ fault, node, atMs, forMs });
    atMs += Math.round(nextPauseMs * (0.75 + draw(50) / 100));
    nextPauseMs = Math.max(pauseMsMin, nextPauseMs * pausePart);
  }
  return faults;
}

/** The run of a seed without any countermeasures. */
export function surviveRequest(seed: number): PlayRequest {
  const settings = [
    "profile=kubernetes",
    "nodes=6",
    `run=${lengthMs / minute}m`,
    `workloads.${survivor}.replicas=${podsKept}`,
    `workloads.${survivor}.cpu=200m`,
  ];
  return { scenario: "node-dead", faults: surviveFaults(seed), settings };
}

/**
 * The samples of the counted pods. A player may ask for fewer than 12 pods, but then the pods are
 * still missing.
 */
export function keptSamples({ pods }: Pick<StoryRecording, "pods">): PodSample[] {
  const samples = pods?.find(({ workload }) => workload === survivor)?.samples ?? [];
  return samples.map((sample) => ({ ...sample, wanted: podsKept }));
}

/** Reads a seed as a person types it. */
export function readSeed(text: string): number | undefined {
  return /^\d{1,6}$/.test(text.trim()) ? Number(text) : undefined;
}

const dayMs = 24 * 60 * minute;
/** 1970 began on a Thursday; weeks begin on Monday. */
const mondayOffsetDays = 3;

/** The seed of a week, which is the same for all players of this week. */
export function weekSeed(nowMs: number): number {
  return Math.floor((Math.floor(nowMs / dayMs) + mondayOffsetDays) / 7);
}

/**
 * Draws whole numbers below a limit with mulberry32, whose numbers are the same in each browser.
 */
function drawsOf(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}
