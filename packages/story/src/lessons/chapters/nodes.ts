import { code } from "../code-places.ts";
import type { Lesson } from "../lesson.ts";
import { run, podsStay, replicas, silenceAllowed } from "../runs-and-knobs.ts";

const chapter = "Nodes";

/** One node dies, is cut off, or returns. */
export const nodeLessons: readonly Lesson[] = [
  {
    id: "node-dead",
    chapter,
    title: "A node dies",
    minutes: 4,
    subject: run("node-dead", [
      "{ step: node-2 Ready=Unknown, since: kill-node begins, at: 40s..50s }",
      "{ step: pod/web terminating, since: node-2 Ready=Unknown, at: 5m, times: 2 }",
      "{ step: pod/web created, since: pod/web terminating, at: < 1s, times: 2 }",
    ]),
    question:
      "After one minute node-2 dies for good. It has two of the six pods of web. For how many seconds does web have fewer pods than it requests?",
    prediction: { is: "seconds", of: "degraded", workload: "web" },
    debrief:
      "About 5 min 50 s, and nearly all of it is waiting. Up to 50 s pass until the silence counts. In this time the API reports pods as Ready that do not run. Then pods may stay for 5 min on an unreachable node. Replacements are created within a second after that.",
    code: [code.nodeLifecycle, code.taintEviction],
    goal: {
      text: "Let web be degraded for at most 60 s by the same failure, with at most two changes.",
      checks: [{ is: "degraded", workload: "web", msMax: 60_000 }],
      changesMax: 2,
      knobs: [silenceAllowed, podsStay, replicas("web", [4, 6, 8], 6)],
      hints: [
        "Two timers run one after the other. Which timer is longer?",
        "The pods stay for 300 s after the node was marked: “Pods stay for” changes that.",
        "“Pods stay for” 0 s leaves only the silence of 50 s.",
      ],
      solution: ["timers.pod-eviction-timeout=0s"],
    },
  },
  {
    id: "partition-within-grace",
    chapter,
    title: "A cable is cut for a moment",
    minutes: 2,
    subject: run("partition-within-grace", [
      "{ step: Ready=Unknown, times: 0 }",
      "{ workload: web, undetected: 25s, created: 0 }",
    ]),
    question: "A node is cut off for 25 s. How many of its pods move to other nodes?",
    prediction: { is: "choice", options: ["None of them", "One of them", "All of them"], right: 0 },
    debrief:
      "None. The silence is shorter than the grace period of 50 s, so the API never reports it, although the pods are unreachable in this time: gray in the picture, and degraded in the table.",
    code: [code.nodeLifecycle],
  },
  {
    id: "kubelet-restarted-quickly",
    chapter,
    title: "A kubelet is restarted",
    minutes: 2,
    subject: run("kubelet-restarted-quickly", [
      "{ step: Ready=Unknown, times: 0 }",
      "{ workload: web, degraded: 0s, restarts: 0 }",
    ]),
    question:
      "The kubelet of a node stops, and starts again after 25 s. What happens to the containers that it had started?",
    prediction: {
      is: "choice",
      options: [
        "They end with the kubelet, and start again",
        "They continue to run",
        "They continue to run, and start again when the kubelet returns",
      ],
      right: 1,
    },
    debrief:
      "They continue to run, because the runtime owns them, and the new kubelet finds them by their labels. An upgrade of a kubelet does not restart containers.",
    code: [code.containerPlan],
  },
  {
    id: "kubelet-stopped-past-eviction",
    chapter,
    title: "Three containers instead of two",
    minutes: 3,
    subject: run("kubelet-stopped-past-eviction", [
      "{ step: pod/web created, since: pod/web terminating, at: < 1s, times: 1 }",
      "{ step: pod/web deleted, since: kill-kubelet ends, at: < 20s }",
      "{ step: pod/web bound node-1, times: 0 }",
    ]),
    question:
      "A kubelet stops for 9 min, and its containers continue to run. web requests two pods, one on each node. How many of its containers run just before the kubelet returns?",
    prediction: { is: "choice", options: ["One", "Two", "Three"], right: 2 },
    debrief:
      "Three. The pod was evicted after 50 s and 5 min, and another pod was created, but no program could stop the container. The kubelet removes it when it returns. Work that must not run twice needs fencing, or a StatefulSet, which waits.",
    code: [code.taintEviction, code.containerPlan],
    goal: {
      text: "Prevent the creation of pods in the same 9 min, with one change.",
      checks: [{ is: "created", workload: "web", max: 0 }],
      changesMax: 1,
      knobs: [silenceAllowed, podsStay, replicas("web", [2, 3], 2)],
      hints: ["The pod was evicted after 5 min 50 s.", "A pod that may stay for 10 min still exists."],
      solution: ["timers.pod-eviction-timeout=10m"],
    },
  },
  {
    id: "node-back-after-eviction",
    chapter,
    title: "The node returns too late",
    minutes: 3,
    subject: run("node-back-after-eviction", [
      "{ step: node-2 Ready=True, since: kill-node ends, at: < 10s }",
      "{ step: pod/web bound node-2, times: 0 }",
    ]),
    question: "A dead node returns after 10 min, empty. How many of the six pods of web move to it?",
    prediction: { is: "choice", options: ["None", "One", "Two"], right: 0 },
    debrief:
      "None. The scheduler chooses a node for a pod once. A repaired cluster stays unbalanced until pods are created again, by a rollout, a drain or a descheduler.",
    code: [code.scheduling],
  },
  {
    id: "node-back-rebalanced",
    chapter,
    title: "Pods move back, one at a time",
    minutes: 5,
    subject: run("node-back-rebalanced", [
      "{ step: pod/web bound node-2, since: kill-node ends, at: 1m..1m10s, times: 2 }",
      "{ step: pod/db terminating, since: kill-node ends, times: 0 }",
    ]),
    question:
      "A node dies and returns after 10 min, empty, and the controller-manager rebalances (--rebalance). A budget keeps five of the six pods of web. How many pods of web are created in total, including the two that replaced the pods of the dead node?",
    prediction: { is: "count", of: "created", workload: "web" },
    debrief:
      "Four: two after the failure, and two that moved back one after the other, with 5 min between them. The pod of the StatefulSet db is not moved, because its name is its identity.",
    code: [code.rebalance, code.disruption],
  },
  {
    id: "rolling-node-restarts",
    chapter,
    title: "Every node is restarted",
    minutes: 2,
    subject: run("rolling-node-restarts", [
      "{ step: Ready=Unknown, times: 0 }",
      "{ workload: web, below-budget: 0s, created: 0, restarts: 6 }",
    ]),
    question:
      "Three nodes are switched off for 25 s each, one after another. Do pods move, and is the budget of 4 respected?",
    prediction: {
      is: "choice",
      options: [
        "Pods move away from each node, and the budget is respected",
        "Pods do not move, and the budget is respected",
        "Pods do not move, and the budget is violated",
      ],
      right: 1,
    },
    debrief:
      "Pods do not move, because each node returns before it counts as lost, and its kubelet starts its pods again on the same node. Four pods are always available, so the budget is respected.",
    code: [code.nodeLifecycle, code.containerPlan],
    goal: {
      text: "Keep six pods of web available at every moment of the same restarts, with one change.",
      checks: [{ is: "available", workload: "web", atLeast: 6 }],
      changesMax: 1,
      knobs: [silenceAllowed, podsStay, replicas("web", [6, 7, 8, 9], 6)],
      hints: ["No timer helps: the node is off.", "One of three nodes may be off, so two nodes have to have six pods."],
      solution: ["workloads.web.replicas=9"],
    },
  },
  {
    id: "flapping-node",
    chapter,
    title: "A node comes and goes",
    minutes: 4,
    subject: run("flapping-node", [
      "{ step: node-2 Ready=Unknown, times: 3 }",
      "{ workload: patient, created: 0, evictions: 0 }",
      "{ workload: hasty, evictions: 1 }",
    ]),
    question:
      "A node is cut off for 90 s, three times. The workload patient tolerates a silent node for 300 s, the workload hasty for 5 s. How many pods of hasty are evicted?",
    prediction: { is: "count", of: "evictions", workload: "hasty" },
    debrief:
      "One: the pod moves the first time, and then stays on another node. A short toleration repairs fast, but moves pods needlessly when nodes flap. A long toleration delays the repair when nodes are dead.",
    code: [code.taintEviction],
    goal: {
      text: "Prevent evictions during the same flapping, with one change.",
      checks: [
        { is: "evictions", workload: "hasty", max: 0 },
        { is: "evictions", workload: "patient", max: 0 },
      ],
      changesMax: 1,
      knobs: [
        {
          setting: "workloads.hasty.toleration-seconds",
          label: "hasty tolerates (s)",
          values: ["5", "30", "120"],
          asItIs: "5",
        },
        silenceAllowed,
      ],
      hints: ["The silence of 90 s counts after 50 s.", "hasty has to outlast the 40 s that are left."],
      solution: ["workloads.hasty.toleration-seconds=120"],
    },
  },
];
