import { code } from "../code-places.ts";
import type { Lesson } from "../lesson.ts";
import { run } from "./run.ts";

const chapter = "The control plane";

/** The services of the control plane are themselves down, slow or without events. */
export const controlPlaneLessons: readonly Lesson[] = [
  {
    id: "api-server-outage",
    chapter,
    title: "The API server is away",
    minutes: 3,
    subject: run("api-server-outage", [
      "{ step: Ready=Unknown, times: 0 }",
      "{ workload: web, degraded: 0s, created: 0, evictions: 0, restarts: 0 }",
    ]),
    question: "The API server is away for 10 min. For how many seconds has web fewer pods than it wants?",
    prediction: { is: "seconds", of: "degraded", workload: "web" },
    debrief:
      "0 s. Kubelets run their pods without it. Nobody can report or judge meanwhile, and when it is back, the controller counts only the silence that it has heard itself.",
    code: [code.nodeLifecycle],
  },
  {
    id: "controller-manager-away",
    chapter,
    title: "Nobody judges",
    minutes: 4,
    subject: run("controller-manager-away", [
      "{ step: node-2 Ready=Unknown, since: kill-service ends, at: 50s..70s }",
      "{ step: pod/web terminating, since: node-2 Ready=Unknown, at: 5m, times: 2 }",
    ]),
    question:
      "The controller-manager is away from 1 min to 6 min, and node-2 dies at 2 min. When has web all of its pods again? Draw a mark.",
    prediction: { is: "mark", of: "whole again", workload: "web" },
    debrief:
      "After 12 min: the controller that is back trusts no clock but its own, and begins to count the silence when it looks for the first time. 6 min, its election, 50 s, 5 min.",
    code: [code.nodeLifecycle, code.election],
  },
  {
    id: "bus-in-disorder",
    chapter,
    title: "Messages get lost",
    minutes: 3,
    subject: run("bus-in-disorder", [
      "{ step: pod/web terminating, since: node-2 Ready=Unknown, at: 5m..5m10s, times: 2 }",
      "{ workload: web, downtime: 0s, created: 2, evictions: 2 }",
    ]),
    question:
      "A node dies while every second change notice is lost, doubled or late. Compared with the same death without that, the pods are replaced",
    prediction: { is: "choice", options: ["never", "twice", "at nearly the same time, once"], right: 2 },
    debrief:
      "At nearly the same time. Messages only wake a controller; it then reads what is there. That is what level-triggered means: nothing that is lost on the way changes the end.",
    code: [code.watchStream],
  },
];
