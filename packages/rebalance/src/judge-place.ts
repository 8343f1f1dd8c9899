import type { Pod } from "@kintsugi/api";
import {
  defaultPlugins,
  filterNodes,
  type NodeInfo,
  type PodInfo,
  podInfoOf,
  type Snapshot,
  Supposition,
  totalScores,
} from "@kintsugi/scheduling";

// Two questions about one pod, both answered by the scheduler's own filters and scores:
//
//   is there a better place?      the pod is removed from its node, and placed again
//   where would the next pod run? a ReplicaSet creates it while the old pod still uses its room;
//                                 a StatefulSet creates it when the old pod no longer exists
//
// The scheduler chooses one of several equal nodes at random, so each of them has to be better.

export interface BetterPlace {
  readonly node: string;
  /** The number of other nodes that the scheduler may choose as well. */
  readonly alternatives: number;
  readonly scoreBefore: number;
  readonly scoreAfter: number;
  /** The owner's pods that are on the node. */
  readonly crowd: number;
}

export type PlaceVerdict = { better: true; place: BetterPlace } | { better: false; because: string };

export interface PlaceQuestion {
  readonly pod: PodInfo;
  readonly from: NodeInfo;
  /** The number of the owner's pods on `from`. */
  readonly crowd: number;
  readonly comesBeforeEnd: boolean;
  readonly scoreMargin: number;
}

export function judgePlace(question: PlaceQuestion, snapshot: Snapshot): PlaceVerdict {
  const { pod, from, crowd, comesBeforeEnd, scoreMargin } = question;
  const next = podInfoOf(replacementOf(pod.pod));
  const away = new Supposition(snapshot, from);
  away.node.remove(pod.uid);
  const scores = scoresOf(next, away);
  const scoreBefore = scores.get(from.name);
  if (scoreBefore === undefined) return { better: false, because: `the scheduler would reject node ${from.name}` };
  if (comesBeforeEnd) away.node.put({ ...pod, isTerminating: true });
  const predicted = highest(comesBeforeEnd ? scoresOf(next, away) : scores);
  for (const name of predicted) {
    const scoreAfter = scores.get(name) ?? -Infinity;
    if (name === from.name)
      return { better: false, because: `node ${name} is the best node for it (score ${scoreBefore})` };
    if (scoreAfter < scoreBefore + scoreMargin)
      return { better: false, because: `node ${name} scores ${scoreAfter}, node ${from.name} ${scoreBefore}` };
    if (podsOn(name, pod, snapshot) > crowd - 2)
      return {
        better: false,
        because: `the scheduler prefers node ${name}, which would then have too many of its pods`,
      };
  }
  const [node] = predicted;
  if (node === undefined) return { better: false, because: "no node has free resources for its replacement" };
  return {
    better: true,
    place: {
      node,
      alternatives: predicted.length - 1,
      scoreBefore,
      scoreAfter: scores.get(node) ?? 0,
      crowd: podsOn(node, pod, snapshot),
    },
  };
}

function podsOn(name: string, { ownerUid = "" }: PodInfo, snapshot: Snapshot): number {
  return snapshot.find(name)?.podsOfOwner(ownerUid) ?? 0;
}

/** The pod as its controller creates it again: without a node and without status. */
function replacementOf({ metadata, spec, ...rest }: Pod): Pod {
  const { uid: _uid, annotations: _annotations, ...kept } = metadata;
  const { nodeName: _nodeName, ...desired } = spec ?? { containers: [] };
  return { ...rest, metadata: kept, spec: desired, status: {} };
}

function scoresOf(pod: PodInfo, snapshot: Snapshot): ReadonlyMap<string, number> {
  const { feasible } = filterNodes(pod, snapshot, { plugins: defaultPlugins });
  const scores = totalScores(pod, snapshot, { feasible, plugins: defaultPlugins });
  return new Map(feasible.map(({ name }, i) => [name, scores[i] ?? 0]));
}

function highest(scores: ReadonlyMap<string, number>): readonly string[] {
  const best = Math.max(...scores.values());
  return [...scores].filter(([, score]) => score === best).map(([name]) => name);
}
