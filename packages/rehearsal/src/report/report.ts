import { formatTimestamp, type Node, nodes, type Pod, pods } from "@kintsugi/api";
import type { Timings } from "../model/timings.ts";
import { shownNodeStarts } from "../model/node-starts.ts";
import type { StartState } from "../model/start-state.ts";
import type { Answer } from "../outcomes/summarize.ts";
import type { ClusterPicture, UnmodelledKind } from "../picture/picture.ts";
import { objectsOf } from "../picture/picture.ts";
import { dependencyOutages } from "./dependencies/outages.ts";
import { type SinglePoint, singlePoints } from "./dependencies/single-points.ts";
import type { ChangeComparison } from "./compare.ts";
import { basisOf } from "./basis.ts";
import { autoscaledLoads } from "./autoscaled-loads.ts";
import { limitedLoads } from "./limited-loads.ts";
import { type TimerRow, timerRows } from "./timers.ts";
import { type NodeNeed, nodeNeeds } from "./needed-nodes.ts";
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
  /** Nodes that may fail without a downtime, and the other nodes with the reason. */
  readonly nodesThatCanGo: readonly string[];
  readonly nodesThatCannotGo: readonly NodeNeed[];
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
  const isUpgraded = answers.some(({ question }) => question.kind === "drains" && question.rebootMs !== undefined);
  const needs = nodeNeeds(answers);
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
    nodesThatCanGo: needs.filter(({ because }) => because === "").map(({ node }) => node),
    nodesThatCannotGo: needs.filter(({ because }) => because !== ""),
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
