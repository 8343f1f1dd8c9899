import { countedNoun, type Node, nodes, zoneLabel } from "@kintsugi/api";
import { controlPlaneQuestions } from "./control-plane.ts";
import { medianMs, shownNodeStarts } from "../model/node-starts.ts";
import { nodeIsReady } from "../model/start-state.ts";
import { objectsOf, type ClusterPicture } from "../picture/picture.ts";
import { poolsOf } from "./pools.ts";
import type { RehearsalQuestion } from "./question.ts";
import { UnreadableSource } from "../source/unreadable.ts";

export const questionSubjects = ["node", "zone", "node-pair", "pool", "workload", "control-plane"] as const;
export type QuestionSubject = (typeof questionSubjects)[number];

/** Time that an upgraded machine is off, where no node shows how long it took to start. */
const assumedRebootMs = 180_000;
/** Limit on pairs, because a report cannot show more. */
const pairsMax = 500;

/**
 * The questions about every node, zone, pair of nodes, pool or workload, or the control plane.
 * @throws UnreadableSource if the cluster does not have such objects.
 */
export function questionsAbout(
  picture: ClusterPicture,
  subject: QuestionSubject,
  workloads: readonly string[],
): RehearsalQuestion[] {
  const ready = objectsOf(picture, nodes).filter(nodeIsReady);
  const names = ready.map(nameOf);
  switch (subject) {
    case "node":
      return names.map((name) => ({ kind: "nodes-off", about: `node ${name} fails`, nodes: [name] }));
    case "zone":
      return zonesOf(picture).map(([zone, inZone]) => ({
        kind: "nodes-off",
        about: `zone ${zone} fails`,
        nodes: inZone,
      }));
    case "node-pair": {
      const pairs = names.flatMap((a, index) => names.slice(index + 1).map((b): [string, string] => [a, b]));
      if (pairs.length > pairsMax)
        throw new UnreadableSource(
          `${names.length} nodes make ${pairs.length} pairs, more than ${pairsMax}: ask about every zone or every node`,
        );
      return pairs.map(([a, b]) => ({ kind: "nodes-off", about: `nodes ${a} and ${b} fail`, nodes: [a, b] }));
    }
    case "pool":
      return poolsOf(ready).map(([pool, inPool]) => ({
        kind: "nodes-off",
        about: `pool ${pool} fails`,
        nodes: inPool,
      }));
    case "control-plane":
      return controlPlaneQuestions(picture, names);
    case "workload":
      return workloads.map((workload) => ({
        kind: "pods-deleted",
        about: `all pods of ${workload} are deleted`,
        workload,
      }));
  }
}

/** Drains of all nodes, one after the other. */
export function drainQuestion(picture: ClusterPicture): RehearsalQuestion {
  return {
    kind: "drains",
    about: "every node is drained, one after the other",
    nodes: objectsOf(picture, nodes).filter(nodeIsReady).map(nameOf),
  };
}

/**
 * Drains of all nodes, one after the other, with a reboot of each node, and with additional nodes
 * for the pods.
 */
export function upgradeQuestion(picture: ClusterPicture, surge: number): RehearsalQuestion {
  const { nodes: names } = drainQuestion(picture) as Extract<RehearsalQuestion, { kind: "drains" }>;
  const about = `every node is drained and rebooted, one after the other, with ${countedNoun(surge, "additional node")}`;
  const rebootMs = medianMs(shownNodeStarts(picture)) ?? assumedRebootMs;
  return { kind: "drains", about, nodes: names, rebootMs, surge };
}

function zonesOf(picture: ClusterPicture): [string, string[]][] {
  const zones = new Map<string, string[]>();
  for (const node of objectsOf(picture, nodes).filter(nodeIsReady)) {
    const zone = node.metadata.labels?.[zoneLabel];
    if (zone !== undefined) zones.set(zone, [...(zones.get(zone) ?? []), nameOf(node)]);
  }
  if (zones.size === 0)
    throw new UnreadableSource(`no node has the label ${zoneLabel}, so the zones are unknown: ask about every node`);
  return [...zones].toSorted(([a], [b]) => (a < b ? -1 : 1));
}

function nameOf({ metadata }: Node): string {
  return metadata.name ?? "";
}
