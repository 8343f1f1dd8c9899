import { lazily } from "../../framework/lazily.ts";
import type { NodeInfo } from "../../cluster-state/node-info.ts";
import type { PodInfo } from "../../cluster-state/pod-info.ts";
import type { Snapshot } from "../../cluster-state/snapshot.ts";
import type { ClusterEvent } from "../../cluster-state/cluster-event.ts";
import { type NodeFilter, type Plugin } from "../../framework/plugin.ts";
import { doesNotFitNow, fits, neverFits } from "../../framework/verdict.ts";
import { DomainCounts } from "../domain-counts.ts";
import {
  countEveryNode,
  floorOf,
  hasAllKeys,
  isCounted,
  selfOf,
  type SpreadConstraint,
  spreadConstraints,
  spreadMatcher,
} from "./spread-constraint.ts";
import { rejectSkewedRows } from "./spread-rows.ts";
import { prepareSpreadScore } from "./topology-spread-score.ts";

/**
 * Spreads pods evenly over the domains of a label, by their constraints; without constraints, the
 * pods of one controller prefer to be spread over zones and nodes.
 */
export const topologySpread: Plugin = {
  name: "PodTopologySpread",
  filter: (pod, snapshot) => {
    const constraints = spreadConstraints(pod, "DoNotSchedule");
    return constraints.length === 0 ? "anything" : filterOf(pod, snapshot, constraints);
  },
  score: { weight: 2, prepare: prepareSpreadScore },
  mayHelp: (pod, event) => concerns(pod, event),
};

function filterOf(pod: PodInfo, snapshot: Snapshot, constraints: readonly SpreadConstraint[]): NodeFilter {
  const rules = lazily(() => rulesOf(pod, snapshot, constraints));
  return {
    check: (node) => {
      for (const { constraint, counts, floor, self } of rules()) {
        const { topologyKey, maxSkew } = constraint;
        if (node.labels[topologyKey] === undefined) {
          return neverFits({ code: "TopologyLabelMissing" });
        }
        if (counts.of(topologyKey, node) + self - floor > maxSkew) {
          return doesNotFitNow({ code: "TopologySpread" });
        }
      }
      return fits;
    },
    rejectRows: (columns, rows) => rejectSkewedRows({ pod, snapshot, constraints, columns }, rows),
  };
}

interface SpreadRule {
  readonly constraint: SpreadConstraint;
  readonly counts: DomainCounts;
  /** The number of pods in the emptiest domain. */
  readonly floor: number;
  /** 1 if the pod itself matches. */
  readonly self: 0 | 1;
}

function rulesOf(pod: PodInfo, snapshot: Snapshot, constraints: readonly SpreadConstraint[]): readonly SpreadRule[] {
  const isEach = countEveryNode(constraints, pod, snapshot);
  const counted = isEach ? snapshot.nodes : snapshot.nodes.filter((node) => hasAllKeys(node, constraints));
  return constraints.map((constraint) => {
    const counts = new DomainCounts();
    const { topologyKey, selector } = constraint;
    const isIn = isEach ? () => true : countedIn(counted, constraint, pod);
    // A domain without pods counts too, as the emptiest.
    if (isEach) counts.open(topologyKey, snapshot.domainsOf(topologyKey).keys());
    else for (const node of counted) if (isIn(node)) counts.add(topologyKey, node, 0);
    for (const [node, pods] of snapshot.matching(spreadMatcher(pod, selector))) {
      if (node.node !== undefined && isIn(node)) counts.add(topologyKey, node, pods);
    }
    const domains = counts.domains(topologyKey);
    const fewest = [...domains.values()].reduce((a, b) => Math.min(a, b), Infinity);
    return { constraint, counts, floor: floorOf(constraint, domains.size, fewest), self: selfOf(constraint, pod) };
  });
}

/** Returns which of the nodes the constraint counts. */
function countedIn(
  nodes: readonly NodeInfo[],
  constraint: SpreadConstraint,
  pod: PodInfo,
): (node: NodeInfo) => boolean {
  const counted = new Set(nodes.filter((node) => isCounted(constraint, pod, node)));
  return (node) => counted.has(node);
}

function concerns(pod: PodInfo, event: ClusterEvent): boolean {
  switch (event.is) {
    case "NodeAdd":
    case "NodeDelete":
      return true;
    case "NodeUpdate":
      return event.changed.labels || event.changed.taints;
    case "AssignedPodAdd":
    case "AssignedPodUpdate":
    case "AssignedPodDelete":
      return event.pod.namespace === pod.namespace;
    default:
      return false;
  }
}
