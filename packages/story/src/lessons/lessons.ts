import type { PlayRequest } from "../recording/play-messages.ts";
import type { Lesson } from "./lesson.ts";

const plain = (scenario: string): PlayRequest => ({ scenario, faults: [], settings: [] });

const [nodeLifecycle, taintEviction, containerPlan, disruption] = [
  {
    path: "apps/controller-manager/src/controllers/node-lifecycle/",
    decides: "when a silent node counts as NotReady, and what taints it gets",
  },
  {
    path: "apps/controller-manager/src/controllers/taint-eviction/",
    decides: "when a pod of a tainted node is deleted",
  },
  { path: "apps/kubelet/src/pods/plan/", decides: "when a container is started again" },
  {
    path: "apps/controller-manager/src/controllers/disruption/",
    decides: "how many evictions a budget allows",
  },
] as const;

/** The lessons lead from one node to half of a zone, and back to one container. */
export const lessons: readonly Lesson[] = [
  {
    id: "node-dead",
    title: "A node dies",
    minutes: 4,
    request: plain("node-dead"),
    question:
      "After one minute node-2 dies for good. It has two of the six pods of web. For how many seconds has web fewer pods than it wants?",
    prediction: { is: "seconds", of: "degraded", workload: "web" },
    debrief:
      "Some 5 min 40 s, and nearly all of it is waiting. Up to 40 s pass until the silence counts; meanwhile the API calls pods Ready that do not run. Then pods may stay for 5 min on a node that cannot be reached. Replacements are made within a second of that.",
    code: [nodeLifecycle, taintEviction],
    goal: {
      text: "Let web be degraded for at most 60 s by the same death, with at most two changes.",
      workload: "web",
      degradedMsMax: 60_000,
      changesMax: 2,
      hints: [
        "Two timers run one after the other. Which is the longer one?",
        "The pods stay for 300 s after the node was marked: “Pods stay for” changes that.",
        "“Pods stay for” 0s leaves the silence of 40 s, and nothing else.",
      ],
      solution: ["timers.pod-eviction-timeout=0s"],
    },
  },
  {
    id: "partition-within-grace",
    title: "A cable is cut for a moment",
    minutes: 2,
    request: plain("partition-within-grace"),
    question: "A node is cut off for 25 s. How many of its pods move to other nodes?",
    prediction: { is: "choice", options: ["None of them", "One of them", "All of them"], right: 0 },
    debrief:
      "None. The silence is shorter than the grace period of 40 s, so that the API never reports it, although the pods cannot be reached meanwhile: grey in the picture, and degraded in the table.",
    code: [nodeLifecycle],
  },
  {
    id: "rolling-node-restarts",
    title: "Every node is restarted",
    minutes: 2,
    request: plain("rolling-node-restarts"),
    question:
      "Three nodes are switched off for 25 s each, one after another. What moves, and does the budget of 4 hold?",
    prediction: {
      is: "choice",
      options: [
        "Pods move away from each node, and the budget holds",
        "Nothing moves, and the budget holds",
        "Nothing moves, and the budget is broken",
      ],
      right: 1,
    },
    debrief:
      "Nothing moves: each node is back before its silence counts, and its kubelet starts its pods again in place. Four pods are always available, so the budget holds.",
    code: [nodeLifecycle, containerPlan],
  },
  {
    id: "half-zone-lost",
    title: "Half of a zone is lost under a budget",
    minutes: 3,
    request: plain("half-zone-lost"),
    question: "Seven of eight pods have to be ready, and a dead node takes two. Does the budget hold up the cure?",
    prediction: {
      is: "choice",
      options: ["Yes, until a person helps", "Yes, for a while", "No"],
      right: 2,
    },
    debrief:
      "No. A budget holds up what would make things worse: evictions of pods that are ready. Pods that are down are replaced as without it, after 40 s of silence and 5 min of toleration, in both zones.",
    code: [taintEviction, disruption],
  },
  {
    id: "crash-loop-for-ever",
    title: "A container crashes",
    minutes: 4,
    request: plain("crash-loop-for-ever"),
    question: "A program crashes 30 s after each start. How long after its fifth crash is it started again?",
    prediction: { is: "choice", options: ["At once", "10 s", "80 s", "300 s"], right: 2 },
    debrief:
      "The kubelet of its node starts it: at once after the first crash, then after 10, 20, 40, 80 and 160 s, and every 300 s for ever. No pod is replaced.",
    code: [containerPlan],
  },
];
