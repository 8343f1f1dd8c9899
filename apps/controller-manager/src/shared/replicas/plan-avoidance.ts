import { avoidedNodes, avoidedNodesMax, parseTimestamp, type Pod } from "@kintsugi/api";
import { isReplacementNeeded } from "../replacement-needed.ts";

/**
 * The nodes that new pods avoid, as one list per pod that is being replaced because restarts did
 * not repair it: its own node and the nodes before it. A list is left out if a new pod has it
 * already.
 */
export function planAvoidance(going: readonly Pod[], active: readonly Pod[]): string[][] {
  const given = [...active];
  return going.flatMap((pod) => {
    const node = pod.spec?.nodeName;
    if (!node || !isReplacementNeeded(pod)) return [];
    const heir = given.findIndex((each) => avoidedNodes(each)[0] === node && isNotOlder(each, pod));
    if (heir >= 0) {
      given.splice(heir, 1);
      return [];
    }
    const before = avoidedNodes(pod).filter((each) => each !== node);
    return [[node, ...before].slice(0, avoidedNodesMax)];
  });
}

/** Reports whether the pod was created after the other, and may therefore replace it. */
function isNotOlder(pod: Pod, other: Pod): boolean {
  const [at, otherAt] = [pod, other].map(({ metadata }) => metadata.creationTimestamp);
  return at === undefined || otherAt === undefined || parseTimestamp(at) >= parseTimestamp(otherAt);
}
