import { code } from "../code-places.ts";
import type { Lesson } from "../lesson.ts";
import { run } from "./run.ts";

const chapter = "A control plane of three";

/**
 * Three machines share a log (etcd); each has an API server, a scheduler and a controller-manager.
 */
export const threeServerLessons: readonly Lesson[] = [
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
      "Three machines share the objects through etcd. The one that leads everything dies, and a worker a minute later. Is the worker's death mended?",
    prediction: {
      is: "choice",
      options: ["No, not before the machine is back", "Yes, some seconds later than usual", "Yes, minutes later"],
      right: 1,
    },
    debrief:
      "Yes. Two of three members are most of them: an election takes 1 to 2 s, clients go on to another server, and the Leases of scheduler and controller-manager change hands after 15 s. Any one of the three may die.",
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
      "Two of three machines are off from 1 min to 8 min, and a worker dies at 2 min. When has web all of its pods again? Draw a mark.",
    prediction: { is: "mark", of: "whole again", workload: "web" },
    debrief:
      "After about 14 min. One member of three commits nothing, so that nobody could write what was wrong. With the second machine the count begins: the election, 50 s of silence, 5 min. The pods on other nodes ran all the time.",
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
      "A worker dies at 1 min. At 1 min 30 s, before its silence counts, the machine dies whose controller-manager leads. For how many seconds has web fewer pods than it wants? Without the second death it is 349 s.",
    prediction: { is: "seconds", of: "degraded", workload: "web" },
    debrief:
      "Some 50 s more: the Lease of the leader ends after 15 s, and the next one counts the silence for itself. What a leader remembers is lost with it; what is written stays.",
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
      "One API server loses its way to etcd for 6 min, while its clients still reach it. It has a copy of all objects. What does it tell a client that asks for the newest state?",
    prediction: {
      is: "choice",
      options: [
        "What its copy has, which is old",
        "That it cannot tell, so that the client asks another",
        "Nothing; it ends",
      ],
      right: 1,
    },
    debrief:
      "That it cannot tell: a read of the newest state has to prove with etcd that the copy is new. Only a client that allows any age (resourceVersion=0) gets the copy, as an informer's first list does. No node was called silent for it.",
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
      "A worker dies, and the controller-manager that leads stands still for 6 min 30 s. It wakes without knowing. Meanwhile another leads, and has replaced two pods. How many pods of web are made in all?",
    prediction: { is: "count", of: "created", workload: "web" },
    debrief:
      "Two. The old leader may believe for a moment that it leads, and each of its writes says which revision it has seen. The API server refuses those that are old. A Lease gives liveness; preconditions give safety.",
    code: [code.election, code.replicas],
  },
];
