import { code } from "../code-places.ts";
import type { Lesson } from "../lesson.ts";
import { run } from "../runs-and-knobs.ts";

const chapter = "A control plane of three";

/**
 * Three machines share a log (etcd); each has an API server, a scheduler and a controller-manager.
 */
export const controlPlaneOfThreeLessons: readonly Lesson[] = [
  {
    id: "one-of-three-dies",
    chapter,
    title: "Which may die?",
    minutes: 3,
    subject: run("one-of-three-dies", [
      "{ step: node-2 Ready=Unknown, since: kill-node begins, at: 40s..70s }",
      "{ workload: web, downtime: 0s, created: 2, evictions: 2 }",
    ]),
    question:
      "Three machines share the objects through etcd. The machine whose processes lead dies, and a worker a minute later. Are the worker's pods replaced?",
    prediction: {
      is: "choice",
      options: ["No, not before the machine returns", "Yes, several seconds later than usual", "Yes, minutes later"],
      right: 1,
    },
    debrief:
      "Yes. Two of three members are a majority. An election takes 1 to 2 s, clients continue at another server, and the Leases of scheduler and controller-manager get new holders after 15 s. Any one of the three may die.",
    code: [code.replicas, code.election],
  },
  {
    id: "two-of-three-die",
    chapter,
    title: "Two are too many",
    minutes: 4,
    subject: run("two-of-three-die", [
      "{ step: Ready=Unknown, since: kill-server ends, at: 30s..90s }",
      "{ step: pod/web terminating, since: Ready=Unknown, at: 5m, times: 2 }",
    ]),
    question:
      "Two of three machines are off from 1 min to 8 min, and a worker dies at 2 min. When does web have all of its pods again?",
    prediction: { is: "mark", of: "whole again", workload: "web" },
    debrief:
      "After about 14 min. One member of three cannot commit, so no failure could be recorded. The count begins when the second machine returns: the election, 50 s of silence, 5 min. The pods on other nodes ran all the time.",
    code: [code.replicas, code.nodeLifecycle],
  },
  {
    id: "leader-lost",
    chapter,
    title: "The leader is lost in the middle",
    minutes: 4,
    subject: run("leader-lost", [
      "{ step: node-2 Ready=Unknown, since: kill-node begins, at: 70s..120s }",
      "{ workload: web, created: 2, evictions: 2 }",
    ]),
    question:
      "A worker dies at 1 min. At 1 min 30 s, before its silence counts, the machine with the leading controller-manager dies. For how many seconds does web have fewer pods than it requests? Without the second failure, the answer is 349 s.",
    prediction: { is: "seconds", of: "degraded", workload: "web" },
    debrief:
      "About 50 s more: the Lease of the leader ends after 15 s, and the next leader counts the silence from the beginning. The memory of a leader is lost with it, and only stored objects remain.",
    code: [code.election, code.nodeLifecycle],
  },
  {
    id: "server-without-log",
    chapter,
    title: "A stale read",
    minutes: 3,
    subject: run("server-without-log", [
      "{ step: Ready=Unknown, times: 0 }",
      "{ workload: web, degraded: 0s, created: 0, evictions: 0 }",
    ]),
    question:
      "One API server loses its connection to etcd for 6 min, while its clients still reach it. It has a copy of all objects. What does it return to a client that requests the newest state?",
    prediction: {
      is: "choice",
      options: [
        "The state of its copy, which is old",
        "An error, so the client uses another server",
        "Nothing, because it exits",
      ],
      right: 1,
    },
    debrief:
      "An error: for a read of the newest state, the server has to verify with etcd that its copy is current. Only a client that accepts any age (resourceVersion=0), such as an informer for its first list, gets the copy. No node is reported as silent for this reason.",
    code: [code.replicas],
  },
  {
    id: "leader-paused",
    chapter,
    title: "One leader too many",
    minutes: 4,
    subject: run("leader-paused", [
      "{ step: pod/web terminating, times: 2 }",
      "{ workload: web, created: 2, evictions: 2 }",
    ]),
    question:
      "A worker dies, and the controller-manager that leads is paused for 6 min 30 s, and does not detect the pause afterwards. In the meantime another process leads, and has replaced two pods. How many pods of web are created in total?",
    prediction: { is: "count", of: "created", workload: "web" },
    debrief:
      "Two. The old leader may assume for a moment that it still leads, but each of its writes names the revision that it has read. The API server rejects a write with an old revision. A Lease provides liveness, and preconditions provide safety.",
    code: [code.election, code.replicas],
  },
];
