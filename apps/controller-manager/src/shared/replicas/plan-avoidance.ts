import { avoidedNodes, avoidedNodesMax, parseTimestamp, type Pod } from "@kintsugi/api";
import { isReplacementNeeded } from "../replacement-needed.ts";

/**
 * The nodes that new pods are to be kept from, a list for each: of every pod that goes because no
 * restart has helped it, its own node and those before it, unless a new pod has been given them
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

/** Reports whether the pod was made after the other, and so may be in its place. */
function isNotOlder(pod: Pod, other: Pod): boolean {
  const [at, otherAt] = [pod, other].map(({ metadata }) => metadata.creationTimestamp);
  return at === undefined || otherAt === undefined || parseTimestamp(at) >= parseTimestamp(otherAt);
}
