import { countedNoun, lengthInWords, type ProfileName, type TimelineEntry, type TimerProfile } from "@kintsugi/api";
import type { Caption, StoryRecording } from "@kintsugi/story";
import { faultWindows } from "./fault-windows.ts";
import type { Recording } from "./recording.ts";
import type { ScenarioReport, WorkloadReport } from "./report.ts";
import type { Step } from "./step.ts";

/** Makes the recording of a run that a player shows. */
export function storyOfRun(
  report: ScenarioReport,
  recording: Recording,
  settings: { profile: ProfileName; timers: TimerProfile },
): StoryRecording {
  const fromMs = recording.beganWallMs;
  const objects = recording.objects;
  return {
    title: report.name,
    description: report.description.split("\n")[0] ?? "",
    clusterName: report.name,
    isSimulated: true,
    profile: settings.profile,
    timers: settings.timers,
    fromMs,
    toMs: fromMs + report.durationMs,
    steps: recording.journal.filter(isShown).toSorted((a, b) => a.timeMs - b.timeMs),
    changes: objects?.isWhole === true ? objects.changes : [],
    hasObjects: objects?.isWhole === true,
    captions: captionsOf(report).map(({ atMs, text }) => ({ atMs: fromMs + atMs, text })),
    pods: report.workloads.map(({ name, samples, measures: { created, evictions, restarts } }) => ({
      workload: name,
      counts: { created, evictions, restarts },
      samples: samples.map((sample) => ({ ...sample, atMs: fromMs + Math.max(0, sample.atMs) })),
    })),
    faults: faultWindows(report.steps, report.durationMs).map((fault) => ({
      fromMs: fromMs + fault.fromMs,
      toMs: fromMs + fault.toMs,
      text: fault.label,
    })),
  };
}

function isShown(entry: { kind: string }): entry is TimelineEntry {
  return entry.kind === "Node" || entry.kind === "Pod";
}

/** Captions describe the faults, the nodes, and the workloads; times count from the beginning. */
function captionsOf({ steps, workloads, durationMs, timers, profile }: ScenarioReport): Caption[] {
  const settings = [`profile ${profile}`, ...Object.entries(timers).map(([flag, value]) => `${flag} ${value}`)];
  return [
    { atMs: 0, text: `All is well: ${workloads.map(wordsOf).join(", ")}. Timers: ${settings.join(", ")}.` },
    ...steps.flatMap((step) => captionOf(step)),
    ...workloads.flatMap(turnsOf),
    { atMs: durationMs, text: workloads.map(endOf).join(" ") },
  ].toSorted((a, b) => a.atMs - b.atMs);
}

function wordsOf({ name, replicas }: WorkloadReport): string {
  return `${name} has ${replicas} ${replicas === 1 ? "replica" : "replicas"}`;
}

function captionOf({ atMs, object, what, detail, explained }: Step): Caption[] {
  const [kind = "", name = ""] = object.split("/");
  if (kind === "fault") return [{ atMs, text: faultText(name, what, detail) }];
  if (kind !== "node") return [];
  const because = explained === undefined ? "" : ` (${explained})`;
  if (what === "condition" && detail.startsWith("Ready=Unknown"))
    return [{ atMs, text: `${name} counts as silent${because}.` }];
  if (what === "condition" && detail.startsWith("Ready=False")) return [{ atMs, text: `${name} is not ready.` }];
  if (what === "condition" && detail.startsWith("Ready=True")) return [{ atMs, text: `${name} is ready again.` }];
  return [];
}

function faultText(fault: string, phase: string, detail: string): string {
  const words = `${fault}${detail === "" ? "" : ` ${detail}`}`;
  if (phase === "begins") return `The fault begins: ${words}.`;
  return phase === "ends" ? `The fault ends: ${words}.` : `The fault has no target: ${words}.`;
}

/** The moments at which a workload lost pods, and at which it had all of its pods again. */
function turnsOf({ name, samples }: WorkloadReport): Caption[] {
  let isWhole = true;
  return samples.flatMap(({ atMs, available, wanted }) => {
    if (available >= wanted === isWhole) return [];
    isWhole = available >= wanted;
    const text = isWhole
      ? `${name} has ${wanted === 1 ? "its pod" : `all of its ${wanted} pods`} again.`
      : `${name} has ${available} of ${countedNoun(wanted, "pod")} available.`;
    return [{ atMs, text }];
  });
}

function endOf({ name, measures, isDegradedAtEnd }: WorkloadReport): string {
  const degraded = lengthInWords(measures.degraded);
  if (isDegradedAtEnd) return `${name} is still degraded, for ${degraded} in all.`;
  return measures.degraded === 0 ? `${name} was never degraded.` : `${name} was degraded for ${degraded}.`;
}
