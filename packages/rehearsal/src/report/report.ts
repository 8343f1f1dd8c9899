import { countedNoun, formatTimestamp, type Node, nodes, type Pod, pods } from "@kintsugi/api";
import { assumedTimes, type ShownTimes, type Timings } from "../model/timings.ts";
import type { ShownGrace } from "../model/shown-grace.ts";
import { medianMs, shownNodeStarts } from "../model/node-starts.ts";
import type { StartState } from "../model/start-state.ts";
import type { Answer } from "../outcomes/summarize.ts";
import type { ClusterPicture, ShownPast, UnmodelledKind } from "../picture/picture.ts";
import { objectsOf } from "../picture/picture.ts";
import { dependencyOutages } from "./dependencies/outages.ts";
import { type SinglePoint, singlePoints } from "./dependencies/single-points.ts";
import type { ChangeComparison } from "./compare.ts";
import { autoscaledLoads } from "./autoscaled-loads.ts";
import { limitedLoads } from "./limited-loads.ts";
import { type TimerRow, timerRows } from "./timers.ts";
import { lastingText, secondsText, shortRefusal } from "./words.ts";
import type { TriedChange } from "./changes.ts";

/** The whole report of a rehearsal. It depends only on the source, the questions and the seed. */
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
  /** Dependencies that do not answer in all questions: "webhook/policy". */
  readonly without: readonly string[];
  readonly unmodelled: readonly UnmodelledKind[];
  readonly notes: readonly string[];
  /** The assumptions, and the facts that were read from the cluster. */
  readonly basis: readonly string[];
  /** Workloads without an available pod before the first fault. */
  readonly downBefore: readonly string[];
  readonly answers: readonly Answer[];
  /** Nodes that may fail without a downtime, and the others with the reason. */
  readonly nodesThatCanGo: readonly string[];
  readonly nodesThatCannotGo: readonly { readonly node: string; readonly because: string }[];
  readonly singlePoints: readonly SinglePoint[];
  /** The parts of all downtime that ends, by their causes. */
  readonly timers: readonly TimerRow[];
  /** Sentences about Services, webhooks, name servers and operators that are down in a question. */
  readonly dependencies: readonly string[];
  /** Sentences about pods that would have more load than their autoscaler's target. */
  readonly loads: readonly string[];
  readonly changes: readonly TriedChange[];
  /** Each question before and after a change; undefined without a change. */
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
  const isUpgraded = answers.some(({ question }) => question.kind === "drains" && question.rebootMs !== undefined);
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
    basis: basisOf(timings, {
      recorded: picture.recorded,
      grace: start.grace,
      rebootMs: isUpgraded ? shownNodeStarts(picture) : [],
    }),
    downBefore,
    answers,
    nodesThatCanGo: verdicts.filter(({ because }) => because === "").map(({ node }) => node),
    nodesThatCannotGo: verdicts.filter(({ because }) => because !== ""),
    singlePoints: singlePoints(picture, answers),
    timers: timerRows(answers),
    dependencies: dependencyOutages(picture, answers),
    loads: [...autoscaledLoads(picture, answers), ...limitedLoads(picture, answers)],
    changes,
    ...(input.compared === undefined ? {} : { compared: input.compared }),
  };
}

function unknownLines({ kinds }: ClusterPicture): string[] {
  const unknown = kinds.filter(({ state }) => state === "unknown");
  const refused = unknown.filter(({ because }) => because !== "").map(({ because }) => because);
  const silent = unknown.filter(({ because }) => because === "").map(({ resource }) => resource);
  if (silent.length === 0) return refused;
  return [...refused, `the source does not contain ${silent.join(", ")}, so it is unknown whether the cluster has any`];
}

function nodeOf({ question }: Answer): string {
  return question.kind === "nodes-off" ? (question.nodes[0] ?? "") : "";
}

/** The first reason why the nodes of a question are needed; empty if they are not. */
function whyNot({ workloads, pending, stuck, aftermath }: Answer): string {
  const down = workloads.filter(({ downtime }) => downtime.worst > 0);
  const [first] = down;
  const more = down.length > 1 ? `, and ${countedNoun(down.length - 1, "more workload")}` : "";
  if (first !== undefined) {
    const until = first.downAtEnd > 0 ? "and does not recover" : `for ${secondsText(first.downtime.worst)}`;
    return `${first.workload} is down ${until}${more}`;
  }
  const [unplaced] = pending;
  if (unplaced !== undefined)
    return `${countedNoun(pending.length, "pod")} ${pending.length === 1 ? "fits" : "fit"} nowhere else (${unplaced.workload}: ${shortRefusal(unplaced.because)})`;
  const broken = workloads.filter(({ degradedAtEnd, kind }) => degradedAtEnd > 0 && kind !== "DaemonSet");
  const [weaker] = broken;
  const below = workloads.find(({ belowBudget }) => belowBudget.worst > 0);
  if (weaker === undefined && below !== undefined)
    return `${below.workload} is below its budget ${lastingText(below.belowBudget.worst, below.belowBudgetAtEnd)}`;
  const [lost] = aftermath.lostWork;
  if (weaker === undefined) return lost === undefined ? "" : `${lost.workload} loses work`;
  const refusal = weaker.chain.find(({ is }) => is === "refused")?.what;
  const held = refusal ?? stuck.find(({ workload }) => workload === weaker.workload)?.because;
  return `${weaker.workload} keeps fewer pods than before${held === undefined ? "" : `: ${held}`}`;
}

function basisOf(
  timings: Timings,
  {
    recorded,
    grace,
    rebootMs,
  }: { recorded: ShownPast | undefined; grace: ShownGrace | undefined; rebootMs: readonly number[] },
): string[] {
  const { shown, shownStops, pulls, pullBytesPerSecond, crashing, failing, attachMs, byWorkload } = timings;
  const { startMs, readyMs, pullMs, stopMs, volumeMs } = assumedTimes;
  const range = ({ fromMs, toMs }: { fromMs: number; toMs: number }) =>
    `${secondsText(fromMs)} to ${secondsText(toMs)}`;
  return [
    `time from the binding of a pod to Ready: ${shown === 0 ? "not measured; assumed are" : `measured for ${countedNoun(shown, "workload")}; assumed for others are`} ${range(startMs)} to start and, with a probe, ${range(readyMs)} to become Ready`,
    `image pulls: ${pulls.size === 0 ? "not measured" : `measured by events for ${countedNoun(pulls.size, "image")}`}; ${shown > 0 ? "others are included in the measured start times" : `assumed are ${range(pullMs)}`}`,
    `time from the stop signal to the end of a container: ${shownStops === 0 ? "not measured; assumed are " : `measured by the record for ${countedNoun(shownStops, "workload")}; assumed for others are `}${range(stopMs)}, within the grace period`,
    ...(shown > 0
      ? [
          "each run has its own load, which makes all measured times about a quarter longer or shorter, because a few starts say little about another moment",
          widenedText([...byWorkload.values()], { startMs: range(startMs), readyMs: range(readyMs) }),
        ]
      : []),
    ...initText([...byWorkload.values()]),
    ...(pullBytesPerSecond === undefined
      ? []
      : [`image pull without a measured time: the image's size at ${Math.round(pullBytesPerSecond / 1e5) / 10} MB/s`]),
    `move of a volume to another node: ${attachMs.length > 0 ? `measured by ${countedNoun(attachMs.length, "event")}` : range(volumeMs)}, plus 6m if the previous node is lost`,
    ...(crashing.size + failing.size > 0
      ? [
          `containers that fail: ${failing.size} at each start, and ${crashing.size} occasionally, as often as their restart counts show`,
        ]
      : []),
    ...(grace === undefined ? [] : [`a silent node counts as lost after ${secondsText(grace.ms)}, ${grace.because}`]),
    ...(rebootMs.length === 0
      ? []
      : [
          `a machine is down for ${secondsText(medianMs(rebootMs) ?? 0)} in an upgrade: the median time from creation to Ready of ${countedNoun(rebootMs.length, "node")}`,
        ]),
    ...(recorded === undefined
      ? []
      : [
          `the source is a record of ${secondsText(recorded.durationMs)}: it shows ${countedNoun(recorded.pods.length, "start")}, ${countedNoun(recorded.stops.length, "stop")} and ${countedNoun(recorded.events.length, "event")}`,
        ]),
  ];
}

/** The workloads without a time to Ready whose init containers show their time. */
function initText(all: readonly ShownTimes[]): string[] {
  const count = all.filter(({ startMs, initMs }) => startMs.length === 0 && initMs.length > 0).length;
  if (count === 0) return [];
  return [`init containers of pods whose containers have restarted: as ${countedNoun(count, "workload")} shows`];
}

/** The starts of few moments predict little about another moment. */
function widenedText(all: readonly ShownTimes[], { startMs, readyMs }: { startMs: string; readyMs: string }): string {
  const moments = all.filter((each) => each.startMs.length > 0).map((each) => each.moments);
  const [fewest, most] = [Math.min(...moments), Math.max(...moments)];
  const seen = fewest === most ? countedNoun(most, "moment") : `${fewest} to ${most} moments`;
  return `the shown starts of a workload are those of ${seen} (10m each), so some runs get other times: with a probability of 1/(number of moments + 1), a start takes ${startMs} longer and, with a probe, Ready ${readyMs}`;
}
