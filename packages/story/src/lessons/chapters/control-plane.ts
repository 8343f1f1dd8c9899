import { code } from "../code-places.ts";
import type { Lesson } from "../lesson.ts";
import { run } from "../runs-and-knobs.ts";

const chapter = "The control plane";

/** The services of the control plane are themselves down, slow or without events. */
export const controlPlaneLessons: readonly Lesson[] = [
  {
    id: "api-server-outage",
    chapter,
    title: "The API server is down",
    minutes: 3,
    subject: run("api-server-outage", [
      "{ step: Ready=Unknown, times: 0 }",
      "{ workload: web, degraded: 0s, created: 0, evictions: 0, restarts: 0 }",
    ]),
    question: "The API server is down for 10 min. For how many seconds does web have fewer pods than it requests?",
    prediction: { is: "seconds", of: "degraded", workload: "web" },
    debrief:
      "0 s. Kubelets run their pods without it. In the meantime nodes cannot report, and the controller cannot judge them. When the server returns, the controller counts only the silence that it has observed itself.",
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
      "The controller-manager is down from 1 min to 6 min, and node-2 dies at 2 min. When does web have all of its pods again?",
    prediction: { is: "mark", of: "whole again", workload: "web" },
    debrief:
      "After 12 min: the controller that returns trusts only its own clock, and begins to count the silence at its first check. The sum is 6 min, its election, 50 s and 5 min.",
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
      "A node dies while every second change notice is lost, duplicated or delayed. Compared with the same failure and an undisturbed bus, the pods are replaced",
    prediction: { is: "choice", options: ["never", "twice", "at nearly the same time, once"], right: 2 },
    debrief:
      "At nearly the same time. Messages only wake a controller; it then reads the present state. This is the meaning of level-triggered: a lost message never changes the result.",
    code: [code.watchStream],
    isVirtualOnly: true,
  },
];
