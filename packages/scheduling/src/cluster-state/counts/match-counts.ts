import { KeptPodsByNode, type PodsByNode } from "./pods-by-node.ts";
import type { NodeInfo } from "../node-info.ts";
import type { PodInfo } from "../pod-info.ts";

/** Placed pods that a decision counts by their nodes. */
export interface PodMatcher {
  /** Two matchers with the same key match the same pods. */
  readonly key: string;
  /** Depends only on the pod, so that it changes only with the pod. */
  matches(pod: PodInfo): boolean;
}

/**
 * Number of templates whose counts are kept, because pods of one template request the same counts
 * and several templates are scheduled in turn.
 */
const matchersMax = 64;

/**
 * Counts the placed pods that matchers match, by node. The first query costs a walk over all pods.
 * After that, each added or removed pod is counted individually.
 */
export class MatchCounts {
  /** The most recently used entry is last. */
  readonly #byKey = new Map<string, { matcher: PodMatcher; byNode: KeptPodsByNode }>();

  /** @param all every node that has pods, including nodes that no longer exist. */
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
