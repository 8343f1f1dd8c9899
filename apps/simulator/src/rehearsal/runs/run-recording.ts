import { type JournalEntry, lengthInWords, type TimelineEntry } from "@kintsugi/api";
import { timelineEntriesOf } from "@kintsugi/api-server/factory";
import type { RunOutcome, RehearsalQuestion, TrackedWorkload } from "@kintsugi/rehearsal";
import { RecordedObjects } from "@kintsugi/simulation";
import type { StoryRecording } from "@kintsugi/story";
import type { RehearsedCluster } from "../cluster/rehearsed-cluster.ts";

/** A workload with its samples in a run. */
export type SampledWorkload = Pick<TrackedWorkload, "workload" | "wanted" | "samples">;

/** Records one run for a player: each object as it was written, and each step. */
export class RunRecording {
  readonly #cluster: RehearsedCluster;
  readonly #objects = new RecordedObjects();
  #journal: JournalEntry[] = [];
  #beganWallMs = 0;

  /** Create it before the cluster starts, so that its first objects are recorded. */
  constructor(cluster: RehearsedCluster) {
    this.#cluster = cluster;
    for (const entry of cluster.store.list("").entries) {
      const resource = entry.key.split("/", 2).join("/");
      this.#objects.observe({ resource, type: "put", entry }, cluster.clock.nowMs());
    }
    cluster.store.subscribe((changes) => {
      const nowMs = cluster.clock.nowMs();
      for (const change of changes) {
        this.#objects.observe(change, nowMs);
        for (const entry of timelineEntriesOf(change, nowMs))
          this.#journal.push({ ...entry, timeMs: nowMs, committedMs: undefined });
      }
    });
  }

  /** Starts counting at the present time. */
  begin(): void {
    this.#beganWallMs = this.#cluster.clock.nowMs();
    this.#objects.begin(this.#beganWallMs);
    this.#journal = [];
  }

  /** @param workloads every workload of the run, with its samples since the beginning. */
  recorded(
    { about, ...deed }: RehearsalQuestion,
    outcome: RunOutcome,
    workloads: readonly SampledWorkload[],
  ): StoryRecording {
    const fromMs = this.#beganWallMs;
    const toMs = fromMs + outcome.durationMs;
    const objects = this.#objects.recorded();
    return {
      title: `If ${about}`,
      description: `The worst run of this question, with seed ${outcome.seed}.`,
      clusterName: "rehearsed",
      isSimulated: true,
      profile: "kubernetes",
      timers: this.#cluster.timers,
      fromMs,
      toMs,
      steps: this.#journal.filter(isShown),
      changes: objects.changes,
      hasObjects: objects.isWhole,
      captions: captionsOf(about, outcome).map(({ atMs, text }) => ({ atMs: fromMs + atMs, text })),
      pods: workloads.map(({ workload, wanted, samples }) => ({
        workload: workload.name.split("/").at(-1) ?? workload.name,
        samples: samples.map(({ atMs, available }) => ({ atMs: fromMs + atMs, wanted, ready: available, available })),
      })),
      faults: faultsOf(deed, outcome).map(({ text, atMs, untilMs }) => ({
        fromMs: fromMs + atMs,
        toMs: fromMs + untilMs,
        text,
      })),
    };
  }
}

function isShown(entry: { kind: string }): entry is TimelineEntry {
  return entry.kind === "Node" || entry.kind === "Pod";
}

/** More sentences than these hide the important ones. */
const captionsMax = 60;

/** The chains of causes of the affected workloads, the worst first, and their ends. */
function captionsOf(about: string, { workloads, durationMs }: RunOutcome): { atMs: number; text: string }[] {
  const worst = workloads.toSorted((a, b) => b.downtimeMs - a.downtimeMs || b.degradedMs - a.degradedMs);
  // The chain of each workload of a node contains the events of the node.
  const steps = new Map(
    worst
      .flatMap(({ workload, chain }) =>
        chain
          // The first sentence has the question.
          .filter(({ what }) => what !== about)
          .map(({ atMs, what }) => ({
            atMs,
            text: / (pod|pods) /.test(` ${what}`) ? `${workload}: ${what}` : capitalized(what),
          })),
      )
      .map((step): [string, typeof step] => [`${step.atMs} ${step.text}`, step]),
  );
  const ends = worst
    .filter(({ downtimeMs }) => downtimeMs > 0)
    .map(({ workload, downtimeMs, isDownAtEnd }) => ({
      atMs: durationMs,
      text: isDownAtEnd ? `${workload} is still down` : `${workload} was down for ${downtimeText(downtimeMs)} in total`,
    }));
  return [
    { atMs: 0, text: `Now ${about}` },
    ...[...steps.values()].slice(0, captionsMax),
    ...ends.slice(0, captionsMax),
  ].toSorted((a, b) => a.atMs - b.atMs);
}

const capitalized = (sentence: string) => `${sentence.slice(0, 1).toUpperCase()}${sentence.slice(1)}`;
const downtimeText = (ms: number) => (ms < 10_000 ? `${(ms / 1000).toFixed(1)} s` : lengthInWords(ms));

interface LastingFault {
  readonly text: string;
  readonly atMs: number;
  readonly untilMs: number;
}

function faultsOf(
  deed: Omit<Extract<RehearsalQuestion, { kind: "nodes-off" }>, "about"> | { readonly kind: string },
  { durationMs, drains }: RunOutcome,
): LastingFault[] {
  if ("nodes" in deed && deed.kind === "nodes-off")
    return deed.nodes.map((name) => ({ text: `${name} is off`, atMs: 0, untilMs: durationMs }));
  if ("faults" in deed)
    return (deed.faults as Extract<RehearsalQuestion, { kind: "scenario" }>["faults"]).map(
      ({ fault, target, atMs, forMs }) => ({
        text: `${fault}${target === undefined ? "" : ` ${target}`}`,
        atMs,
        untilMs: Math.min(durationMs, forMs === undefined ? durationMs : atMs + forMs),
      }),
    );
  return drains.map(({ node, fromMs, tookMs }) => ({
    text: `drain of ${node}`,
    atMs: fromMs,
    untilMs: fromMs + tookMs,
  }));
}
