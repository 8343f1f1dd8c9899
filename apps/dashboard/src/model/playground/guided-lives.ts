import type { PlayRequest } from "@kintsugi/story";

/** A life to watch, with a question and its answer. */
export interface GuidedLife {
  readonly title: string;
  readonly question: string;
  readonly answer: string;
  readonly request: PlayRequest;
}

const plain = (scenario: string): PlayRequest => ({ scenario, faults: [], settings: [] });

/** The lives lead from one container to half of a zone. Their scenarios expect these answers. */
export const guidedLives: readonly GuidedLife[] = [
  {
    title: "A container crashes",
    question: "Three programs crash 30 s after each start. Who starts them again, and how soon after the fifth crash?",
    answer:
      "The kubelet of their node: at once after the first crash, then after 10, 20, 40, 80 and 160 s, and every 300 s for ever. No pod is replaced.",
    request: plain("crash-loop-for-ever"),
  },
  {
    title: "A cable is cut for a moment",
    question: "A node is cut off for 25 s. How many of its pods move to other nodes?",
    answer:
      "None. Its silence is shorter than the grace period of 40 s, so that the API never reports it, although its pods cannot be reached meanwhile.",
    request: plain("partition-within-grace"),
  },
  {
    title: "A node dies",
    question: "A node dies for good. How long are its pods missing, and how much of that is waiting?",
    answer:
      "Some 5 min 40 s, and nearly all of it is waiting: up to 40 s until the silence counts, and 5 min that pods tolerate an unreachable node. Replacements are made within a second of that. The number beside the workload shows what other timers would have cost.",
    request: plain("node-dead"),
  },
  {
    title: "Every node is restarted",
    question:
      "Three nodes are switched off for 25 s each, one after another. What moves, and does the budget of 4 hold?",
    answer:
      "Nothing moves: each node is back before its silence counts, and its kubelet starts its pods again in place. Four pods are always ready, so the budget holds.",
    request: plain("rolling-node-restarts"),
  },
  {
    title: "Half of a zone is lost under a budget",
    question: "Seven of eight pods have to be ready, and a dead node takes two. Does the budget hold up the cure?",
    answer:
      "No. A budget holds up what would make things worse: evictions of pods that are ready. Pods that are down are replaced as without it, after 40 s of silence and 5 min of toleration, in both zones.",
    request: plain("half-zone-lost"),
  },
];
