import { code } from "../code-places.ts";
import type { Lesson } from "../lesson.ts";
import { run } from "../runs-and-knobs.ts";

const chapter = "Containers";

/** A container crashes, is killed, is unhealthy, or cannot be created. */
export const containerLessons: readonly Lesson[] = [
  {
    id: "crash-loop-for-ever",
    chapter,
    title: "A container crashes",
    minutes: 4,
    subject: run("crash-loop-for-ever", [
      "{ step: restart 1, since: container-terminated Error exit code 1, at: 0s }",
      "{ step: restart 5, since: restart 4, at: 110s }",
      "{ step: restart 6, since: restart 5, at: 190s }",
      "{ workload: broken, created: 0, restarts: 30 }",
    ]),
    question: "A program crashes 30 s after each start. How long after its fifth crash is it started again?",
    prediction: { is: "choice", options: ["At once", "10 s", "80 s", "300 s"], right: 2 },
    debrief:
      "The kubelet of its node starts it: immediately after the first crash, then after 10, 20, 40, 80 and 160 s, and then every 300 s. No pod is replaced. A run of 10 min resets the pauses.",
    code: [code.containerPlan],
    goal: {
      text: "Let the same program be down for at most 6 of the 35 min, with one change.",
      checks: [{ is: "downtime", workload: "broken", msMax: 360_000 }],
      changesMax: 1,
      knobs: [
        {
          setting: "workloads.broken.script",
          label: "The program runs for",
          values: ["sleep 30; exit 1", "sleep 120; exit 1", "sleep 660; exit 1"],
          asItIs: "sleep 30; exit 1",
        },
      ],
      hints: ["Pauses grow until a run is long enough.", "A run of over 10 min resets the pauses."],
      solution: ["workloads.broken.script=sleep 660; exit 1"],
    },
  },
  {
    id: "out-of-memory",
    chapter,
    title: "A container takes too much memory",
    minutes: 3,
    subject: run("out-of-memory", [
      '{ step: "container-terminated OOMKilled, exit code 137", times: ">= 7" }',
      "{ workload: hungry, created: 0, evictions: 0, restarts: 7 }",
    ]),
    question:
      "A program uses more memory than its limit 20 s after each start. How often is its container started again within 15 min?",
    prediction: { is: "count", of: "restarts", workload: "hungry" },
    debrief:
      "Seven times. The kernel kills it (exit code 137, OOMKilled), and it is restarted as after any other crash: after 0, 10, 20, 40, 80, 160 and 300 s. The pod stays on its node. Another node with more memory would not help, because the limit is the container's own.",
    code: [code.containerPlan],
    goal: {
      text: "Let the program be killed at most five times in the same 15 min, with one change.",
      checks: [{ is: "restarts", workload: "hungry", max: 5 }],
      changesMax: 1,
      knobs: [
        {
          setting: "workloads.hungry.script",
          label: "It uses the memory after",
          values: ["sleep 20; tail /dev/zero", "sleep 60; tail /dev/zero", "sleep 200; tail /dev/zero"],
          asItIs: "sleep 20; tail /dev/zero",
        },
      ],
      hints: ["Pauses and runs share the 15 min.", "Only longer runs leave time for fewer kills."],
      solution: ["workloads.hungry.script=sleep 200; tail /dev/zero"],
    },
  },
  {
    id: "probe-failure",
    chapter,
    title: "A container is not well",
    minutes: 3,
    subject: run("probe-failure", [
      "{ step: Killing failed liveness probe, since: Unhealthy, at: 20s }",
      "{ step: container-terminated Error exit code 137, since: Killing, at: 30s }",
    ]),
    question:
      "A program hangs. Its liveness probe runs every 10 s, and three failures count. How long after the first failure does its container end?",
    prediction: { is: "choice", options: ["At once", "20 s", "50 s", "5 min"], right: 2 },
    debrief:
      "50 s: the third failure occurs after 20 s, and the program that hangs ignores SIGTERM for its grace period of 30 s. A restart by a probe has the same pauses as a crash.",
    code: [code.containerPlan],
  },
  {
    id: "escalation",
    chapter,
    title: "More than a restart",
    minutes: 3,
    subject: run("escalation", [
      "{ step: Escalating pod restart 1 of 1, times: '>= 1' }",
      "{ workload: broken, created: 1, deleted: 1 }",
      "{ workload: steady, created: 0, restarts: 0 }",
    ]),
    question:
      "A pod crashes 5 s after each start, as if a directory of its node were broken. Its template requests more: after two restarts a new sandbox, then another node (kintsugi.dev/escalation). How many pods are created?",
    prediction: { is: "count", of: "created", workload: "broken" },
    debrief:
      "One, within 2 min. Kubernetes would restart the container in place forever. The kubelet first restarts the whole pod on its node, and then requests another pod from its ReplicaSet, which the scheduler places on another node.",
    code: [
      code.containerPlan,
      {
        path: "apps/controller-manager/src/controllers/escalation/",
        decides: "when a pod is replaced that keeps crashing",
      },
    ],
  },
  {
    id: "rollout-stops",
    chapter,
    title: "A rollout goes wrong",
    minutes: 3,
    subject: run("rollout-stops", [
      "{ step: CreateContainerError, since: roll-out-broken begins, at: < 1s }",
      "{ workload: web, downtime: 0s, degraded: 5m..5m2s, created: 3, deleted: 3 }",
    ]),
    question: "A new version of a Deployment of four pods cannot start. How many of the old pods continue to serve?",
    prediction: { is: "choice", options: ["None", "Two", "Three", "All four"], right: 2 },
    debrief:
      "Three. maxUnavailable is 25 %, so one old pod is deleted first, and maxSurge of 25 % allows one additional pod. The rollout stops there for as long as its new pods are not ready; one change rolls it back.",
    code: [code.deployments, code.replicaSets],
  },
];
