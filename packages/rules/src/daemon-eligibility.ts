import { findUntoleratedTaint, type Node, nodeIsWanted, noExecuteTaints, type PodTemplateSpec } from "@kintsugi/api";
import { withDaemonTolerations } from "./daemon-tolerations.ts";

export interface Eligibility {
  /** A pod should be created for the node if the node does not have a pod. */
  run: boolean;
  /** A pod that is on the node may remain. */
  stay: boolean;
}

const never: Eligibility = { run: false, stay: false };

/**
 * Decides whether the pods of a template belong on a node: upstream's NodeShouldRunDaemonPod. Room
 * is not checked, because a pod for a node without room waits for the scheduler.
 */
export function judgeEligibility(template: PodTemplateSpec, node: Node): Eligibility {
  const { spec } = template;
  const { name = "", labels = {} } = node.metadata;
  if (spec === undefined) return never;
  if ((spec.nodeName ?? "") !== "" && spec.nodeName !== name) return never;
  if (!nodeIsWanted({ metadata: {}, spec }, { name, labels })) return never;
  const tolerations = withDaemonTolerations(spec);
  const taints = node.spec?.taints ?? [];
  const repelling = taints.filter(({ effect }) => effect === "NoSchedule" || effect === "NoExecute");
  if (findUntoleratedTaint(repelling, tolerations) === undefined) return { run: true, stay: true };
  return { run: false, stay: findUntoleratedTaint(noExecuteTaints(taints), tolerations) === undefined };
}
