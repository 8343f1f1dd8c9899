import { KeptPodsByNode, type PodsByNode } from "./pods-by-node.ts";
import type { NodeInfo } from "../node-info.ts";
import type { PodInfo } from "../pod-info.ts";

/** Placed pods that a decision counts by their nodes. */
export interface PodMatcher {
  /** Two matchers with the same key match the same pods. */
  readonly key: string;
  /** Depends on the pod alone, and not on anything that may change without it. */
  matches(pod: PodInfo): boolean;
}

/** Pods of one template request the same counts; so many templates are scheduled by turns. */
const matchersMax = 64;

/**
 * Counts the placed pods that matchers match, by node. The first question costs a walk over all
 * pods; from then on each pod that comes or leaves is counted by itself.
 */
export class MatchCounts {
  /** The one that was used last stands last. */
  readonly #byKey = new Map<string, { matcher: PodMatcher; byNode: KeptPodsByNode }>();

  /** @param all every node that has pods, those that no longer exist included. */
  of(matcher: PodMatcher, all: Iterable<NodeInfo>): PodsByNode {
    const known = this.#byKey.get(matcher.key);
    if (known !== undefined) {
      this.#byKey.delete(matcher.key);
      this.#byKey.set(matcher.key, known);
      return known.byNode;
    }
    const byNode = new KeptPodsByNode();
    for (const info of all) {
      const count = countMatching(info, matcher);
      if (count > 0) byNode.add(info, count);
    }
    const [oldest] = this.#byKey.keys();
    if (oldest !== undefined && this.#byKey.size >= matchersMax) this.#byKey.delete(oldest);
    this.#byKey.set(matcher.key, { matcher, byNode });
    return byNode;
  }

  changed(info: NodeInfo, pod: PodInfo, by: 1 | -1): void {
    for (const { matcher, byNode } of this.#byKey.values()) {
      if (matcher.matches(pod)) byNode.add(info, by);
    }
  }
}

export function countMatching(info: NodeInfo, matcher: Pick<PodMatcher, "matches">): number {
  let count = 0;
  for (const pod of info.pods()) if (matcher.matches(pod)) count++;
  return count;
}
