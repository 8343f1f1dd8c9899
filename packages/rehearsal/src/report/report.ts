import { countedNoun, formatTimestamp, type Node, nodes, type Pod, pods } from "@kintsugi/api";
import { assumedTimes, type Timings } from "../model/timings.ts";
import type { StartState } from "../model/start-state.ts";
import type { Answer } from "../outcomes/summarize.ts";
import type { ClusterPicture, ShownPast, UnmodelledKind } from "../picture/picture.ts";
import { objectsOf } from "../picture/picture.ts";
import { type SinglePoint, singlePoints } from "./single-points.ts";
import type { ChangeComparison } from "./compare.ts";
import { secondsText } from "./words.ts";
import type { TriedChange } from "./changes.ts";

/**
 * The whole report of a rehearsal. It follows from the source, the questions and the seed alone.
 */
export interface RehearsalReport {
  readonly source: string;
  readonly takenAt: string;
  readonly kubernetes: string;
  readonly nodes: number;
  readonly pods: number;
  readonly seed: number;
  readonly runsPerQuestion: number;
  /** Sentences about kinds that the source does not show. */
  readonly unknown: readonly string[];
  /** Sentences about objects of the source that could not be read. */
  readonly leftOut: readonly string[];
  /** Dependencies that give no answer in all questions: "webhook/policy". */
  readonly without: readonly string[];
  readonly unmodelled: readonly UnmodelledKind[];
  readonly notes: readonly string[];
  /** The assumptions, and the facts that were read from the cluster. */
  readonly basis: readonly string[];
  /** Workloads without an available pod before anything is done. */
  readonly downBefore: readonly string[];
  readonly answers: readonly Answer[];
  /** Nodes that may go without a downtime, and the others with the reason. */
  readonly nodesThatCanGo: readonly string[];
  readonly nodesThatCannotGo: readonly { readonly node: string; readonly because: string }[];
  readonly singlePoints: readonly SinglePoint[];
  readonly changes: readonly TriedChange[];
  /** Each question before and after a change; undefined where none was asked about. */
  readonly compared?: ChangeComparison;
}

export interface ReportInput {
  readonly picture: ClusterPicture;
  readonly start: StartState;
  readonly timings: Timings;
  readonly answers: readonly Answer[];
  readonly seed: number;
  readonly runsPerQuestion: number;
  readonly without: readonly string[];
  readonly downBefore: readonly string[];
  readonly changes: readonly TriedChange[];
  readonly compared?: ChangeComparison | undefined;
}

export function makeRehearsalReport(input: ReportInput): RehearsalReport {
  const { picture, start, timings, answers, seed, runsPerQuestion, without, downBefore, changes } = input;
  const ofNodes = answers.filter(({ question }) => question.kind === "nodes-off" && question.nodes.length === 1);
  const verdicts = ofNodes.map((answer) => ({ node: nodeOf(answer), because: whyNot(answer) }));
  return {
    source: picture.source,
    takenAt: formatTimestamp(picture.takenAtMs),
    kubernetes: picture.minor === undefined ? "unknown" : `1.${picture.minor}`,
    nodes: objectsOf<Node>(picture, nodes).length,
    pods: objectsOf<Pod>(picture, pods).length,
    seed,
    runsPerQuestion,
    unknown: unknownLines(picture),
    leftOut: picture.leftOut,
    without,
    unmodelled: picture.unmodelled,
    notes: start.notes,
    basis: basisOf(timings, picture.recorded),
    downBefore,
    answers,
    nodesThatCanGo: verdicts.filter(({ because }) => because === "").map(({ node }) => node),
    nodesThatCannotGo: verdicts.filter(({ because }) => because !== ""),
    singlePoints: singlePoints(picture, answers),
    changes,
    ...(input.compared === undefined ? {} : { compared: input.compared }),
  };
}

function unknownLines({ kinds }: ClusterPicture): string[] {
  const unknown = kinds.filter(({ state }) => state === "unknown");
  const refused = unknown.filter(({ because }) => because !== "").map(({ because }) => because);
  const silent = unknown.filter(({ because }) => because === "").map(({ resource }) => resource);
  if (silent.length === 0) return refused;
  return [...refused, `the source has no ${silent.join(", ")}, and does not say whether the cluster has any`];
}

function nodeOf({ question }: Answer): string {
  return question.kind === "nodes-off" ? (question.nodes[0] ?? "") : "";
}

/** The beginning of the step of a chain of causes at which a controller was refused a pod. */
const refusalPrefix = "no pod can be made";

/** The first reason why the nodes of a question are missed; empty where they are not. */
function whyNot({ workloads, pending, stuck }: Answer): string {
  const down = workloads.filter(({ downtime }) => downtime.worst > 0);
  const [first] = down;
  const more = down.length > 1 ? `, and ${countedNoun(down.length - 1, "more workload")}` : "";
  if (first !== undefined) {
    const until = first.downAtEnd > 0 ? "and does not come back" : `for ${secondsText(first.downtime.worst)}`;
    return `${first.workload} is down ${until}${more}`;
  }
  if (pending.length > 0)
    return `${countedNoun(pending.length, "pod")} ${pending.length === 1 ? "fits" : "fit"} nowhere else`;
  const broken = workloads.filter(({ degradedAtEnd, kind }) => degradedAtEnd > 0 && kind !== "DaemonSet");
  const [weaker] = broken;
  if (weaker === undefined) return "";
  const refusal = weaker.chain.find(({ what }) => what.startsWith(refusalPrefix))?.what;
  const held = refusal ?? stuck.find(({ workload }) => workload === weaker.workload)?.because;
  return `${weaker.workload} keeps fewer pods than before${held === undefined ? "" : `: ${held}`}`;
}

function basisOf({ shown, shownStops, pulls }: Timings, recorded: ShownPast | undefined): string[] {
  const { startMs, readyMs, pullMs, stopMs } = assumedTimes;
  const range = ({ fromMs, toMs }: { fromMs: number; toMs: number }) =>
    `${secondsText(fromMs)} to ${secondsText(toMs)}`;
  return [
    `times from the binding of a pod to Ready: as ${shown} workloads have shown them; of others, ${range(startMs)} to start and, with a probe, ${range(readyMs)} to be Ready`,
    `pulls: as events tell of ${pulls.size} images; ${shown > 0 ? "the shown times hold those of the others" : `of others, ${range(pullMs)}`}`,
    `time from the signal to the end of a container, ${shownStops === 0 ? "which no dump shows" : `as the record shows it of ${shownStops} workloads; of others`}: ${range(stopMs)}, within its grace period`,
    ...(recorded === undefined
      ? []
      : [
          `the source is a record of ${secondsText(recorded.durationMs)}: it shows ${countedNoun(recorded.pods.length, "start")}, ${countedNoun(recorded.stops.length, "stop")} and ${countedNoun(recorded.events.length, "event")}`,
        ]),
  ];
}
