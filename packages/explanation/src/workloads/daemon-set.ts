import { countedNoun, type DaemonSet, findUntoleratedTaint, type Node, nodeIsWanted, type Pod } from "@kintsugi/api";
import { judgeEligibility, withDaemonTolerations } from "@kintsugi/rules";
import type { ExplainedReason } from "../explanation.ts";
import { kubectlCommand } from "../words/commands.ts";
import { grouped } from "../words/grouped.ts";
import { listed, singleLine, aboutObject } from "../words/phrases.ts";
import { listOf, type World } from "../world.ts";
import { availabilityReasons, podsOf, reasonsOfPods } from "./pods-of.ts";
import { refusalReasons } from "./refused.ts";

export function daemonSetReasons(set: DaemonSet, world: World): ExplainedReason[] {
  const pods = podsOf(set, world);
  const minReadySeconds = set.spec?.minReadySeconds ?? 0;
  return [
    ...refusalReasons(set, "DaemonSet", world),
    ...withoutPod(set, pods, world),
    ...reasonsOfPods(pods, world),
    ...availabilityReasons(set, { kind: "DaemonSet", pods, minReadySeconds }, world),
  ];
}

export function daemonSetState({ status }: DaemonSet): string {
  return `${status?.numberReady ?? 0} of ${countedNoun(status?.desiredNumberScheduled ?? 0, "node")} that should run a pod have a ready pod`;
}

/**
 * The nodes without a pod: nodes that should not have a pod, with the reason, and nodes that lack
 * their pod.
 */
function withoutPod(set: DaemonSet, pods: readonly Pod[], world: World): ExplainedReason[] {
  const covered = new Set(pods.map(nodeOf));
  const bare = listOf(world, "nodes").filter(({ metadata }) => !covered.has(metadata.name ?? ""));
  const byReason = grouped(bare, (node) => exclusion(set, node));
  const about = aboutObject("DaemonSet", set);
  const excluded = [...byReason].flatMap(([because, nodes]) =>
    because === undefined ? [] : [`${listed(nodes.map(({ metadata }) => metadata.name ?? ""))}: ${because}`],
  );
  const lacking = (byReason.get(undefined) ?? []).map(({ metadata }) => metadata.name ?? "");
  const reasons: ExplainedReason[] = [];
  if (lacking.length > 0) {
    const because = `${countedNoun(lacking.length, "node")} ${lacking.length === 1 ? "lacks its" : "lack their"} pod: ${listed(lacking)}.`;
    reasons.push({ code: "TooFewPods", about, because, awaits: "its controller to create them" });
  }
  if (excluded.length > 0) {
    reasons.push({
      code: "NodesWithoutPod",
      about,
      because: "Some nodes are excluded.",
      details: excluded,
      remedies: [
        {
          does: "Change its nodeSelector, affinity or tolerations",
          command: kubectlCommand(about.namespace, "edit", `daemonset/${about.name}`),
        },
      ],
    });
  }
  return reasons;
}

/** The node on which a daemon pod runs, or for which it is created. */
function nodeOf({ spec }: Pod): string {
  const required = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const field = required?.nodeSelectorTerms[0]?.matchFields?.find(({ key }) => key === "metadata.name");
  return spec?.nodeName || (field?.values?.[0] ?? "");
}

/** Explains why the node should not have a pod; undefined if it should have a pod. */
function exclusion({ spec: set }: DaemonSet, node: Node): string | undefined {
  const template = set?.template;
  if (template?.spec === undefined || judgeEligibility(template, node).run) return undefined;
  const { name = "", labels = {} } = node.metadata;
  const { spec } = template;
  if ((spec.nodeName ?? "") !== "" && spec.nodeName !== name)
    return `its template names node ${singleLine(spec.nodeName)}`;
  if (!nodeIsWanted({ metadata: {}, spec }, { name, labels }))
    return "the node does not match its nodeSelector or affinity";
  const repelling = (node.spec?.taints ?? []).filter(({ effect }) => effect !== "PreferNoSchedule");
  const taint = findUntoleratedTaint(repelling, withDaemonTolerations(spec));
  return `it does not tolerate the taint ${singleLine(taint?.key)}:${taint?.effect ?? ""}`;
}
