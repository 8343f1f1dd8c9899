import { code } from "../code-places.ts";
import type { Lesson } from "../lesson.ts";
import { run, podsStay, replicas, silenceAllowed } from "../runs-and-knobs.ts";

const chapter = "Many nodes";

/** Several nodes fail, or the remaining nodes have no room. */
export const manyNodeLessons: readonly Lesson[] = [
  {
    id: "two-nodes-die",
    chapter,
    title: "A second node dies",
    minutes: 5,
    subject: {
      ...run("node-dead", ["{ step: Ready=Unknown, times: 2 }", "{ workload: web, downtime: 0s }"]),
      request: {
        scenario: "node-dead",
        faults: [{ atMs: 180_000, fault: "kill-node", node: "node-1" }],
        settings: ["profile=kubernetes"],
      },
    },
    question:
      "node-2 dies after 1 min, and node-1 after 3 min. web has six pods, and one node is left. When does web have all of its pods again?",
    prediction: { is: "mark", of: "whole again", workload: "web" },
    debrief:
      "After about 8 min 50 s: each failure has a separate silence of 50 s and a separate toleration of 5 min. Until 6 min 50 s only two pods run.",
    code: [code.nodeLifecycle, code.taintEviction, code.scheduling],
    goal: {
      text: "Keep 4 of 6 pods available through the same two failures, with at most three changes.",
      checks: [{ is: "available", workload: "web", atLeast: 4 }],
      changesMax: 3,
      knobs: [
        silenceAllowed,
        podsStay,
        replicas("web", [6, 8, 10], 6),
        { setting: "nodes", label: "Nodes", values: ["3", "4", "5"], asItIs: "3" },
      ],
      hints: [
        "The pods of the first node have to be replaced before the second node dies, 2 min later.",
        "After the first failure, each remaining node should have two pods, or there should be more nodes.",
        "“Pods stay for” 30 s, and a fourth node with eight replicas.",
      ],
      solution: ["timers.pod-eviction-timeout=30s", "nodes=4", "workloads.web.replicas=8"],
    },
  },
  {
    id: "half-zone-lost",
    chapter,
    title: "Half of a zone is lost under a budget",
    minutes: 3,
    subject: run("half-zone-lost", [
      "{ step: pod/web terminating, since: b-1 Ready=Unknown, at: 5m, times: 2 }",
      "{ step: pod/web created, since: pod/web terminating, at: < 1s, times: 2 }",
    ]),
    question: "Seven of eight pods have to be ready, and a dead node has two. Does the budget delay the repair?",
    prediction: { is: "choice", options: ["Yes, until a person helps", "Yes, for a while", "No"], right: 2 },
    debrief:
      "No. A budget delays only evictions of ready pods, which would make the state worse. Pods that are down are replaced as without a budget, after 50 s of silence and 5 min of toleration, in both zones.",
    code: [code.taintEviction, code.disruption],
    goal: {
      text: "Keep seven pods of web available at every moment of the same failure, with one change.",
      checks: [{ is: "available", workload: "web", atLeast: 7 }],
      changesMax: 1,
      knobs: [silenceAllowed, podsStay, replicas("web", [8, 9, 10, 12], 8)],
      hints: [
        "No timer is short enough: the pods are lost immediately.",
        "How many pods does each of four nodes have?",
      ],
      solution: ["workloads.web.replicas=10"],
    },
  },
  {
    id: "zone-lost",
    chapter,
    title: "A zone is lost",
    minutes: 3,
    subject: run("zone-lost", [
      "{ step: Ready=Unknown, times: 2 }",
      "{ step: pod/web terminating, times: 4 }",
      "{ workload: web, created: 4, downtime: 0s }",
    ]),
    question:
      "One of three zones dies, with two nodes and four of twelve pods. For how many seconds does web have fewer pods than it requests?",
    prediction: { is: "seconds", of: "degraded", workload: "web" },
    debrief:
      "About 6 min: 50 s of silence, 5 min of toleration, and 10 s because the evictions of a zone begin on one node every 10 s (--node-eviction-rate 0.1), so a network fault does not empty the zone immediately.",
    code: [code.nodeLifecycle],
    goal: {
      text: "Keep twelve pods of web available without a zone, with one change.",
      checks: [{ is: "available", workload: "web", atLeast: 12 }],
      changesMax: 1,
      knobs: [silenceAllowed, podsStay, replicas("web", [12, 14, 16, 18], 12)],
      hints: ["Two zones have to be enough.", "If a third of the pods may be lost, half as many again are needed."],
      solution: ["workloads.web.replicas=18"],
    },
  },
  {
    id: "all-nodes-lost",
    chapter,
    title: "Every node is silent",
    minutes: 3,
    subject: run("all-nodes-lost", [
      "{ step: Ready=Unknown, times: 3 }",
      "{ workload: web, created: 0, deleted: 0, evictions: 0, restarts: 0 }",
    ]),
    question: "All three nodes are cut off for 15 min, longer than every timer. How many pods are evicted?",
    prediction: { is: "count", of: "evictions", workload: "web" },
    debrief:
      "None. When no node reports, the fault is probably on the side of the control plane, and there is no node to move to. Evictions stop until a node reports. The pods ran all the time.",
    code: [code.nodeLifecycle],
  },
  {
    id: "no-room-left",
    chapter,
    title: "No room is left",
    minutes: 4,
    subject: run("no-room-left", [
      "{ step: pod/web FailedScheduling Insufficient cpu, since: pod/web created, at: < 1s }",
      "{ step: pod/web bound node-2, since: kill-node ends, at: < 10s, times: 2 }",
    ]),
    question:
      "One of two nodes dies after 1 min and returns after 11 min. Each pod of web requests 1.5 processors. When does web have all of its four pods again?",
    prediction: { is: "mark", of: "whole again", workload: "web" },
    debrief:
      "At 11 min, with the node. The replacements were created after 50 s and 5 min, and did not fit on any node: requests of 6 processors do not fit on a node of 4. Pending pods are retried when a node changes.",
    code: [code.scheduling],
    goal: {
      text: "Let web be degraded for at most 6 min by the same failure, with one change.",
      checks: [{ is: "degraded", workload: "web", msMax: 360_000 }],
      changesMax: 1,
      knobs: [
        { setting: "workloads.web.cpu", label: "A pod requests", values: ["1500m", "1200m", "900m"], asItIs: "1500m" },
        podsStay,
        silenceAllowed,
      ],
      hints: [
        "The pods are created in time, but do not fit on any node.",
        "Four pods have to fit on one node of 4 processors.",
      ],
      solution: ["workloads.web.cpu=900m"],
    },
  },
];
