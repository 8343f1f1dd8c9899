import { code } from "../code-places.ts";
import type { Lesson } from "../lesson.ts";

const chapter = "Your own cluster";

/** Rehearsals: an example cluster, or with --real the learner's own, which is only read. */
export const ownClusterLessons: readonly Lesson[] = [
  {
    id: "rehearse-nodes",
    chapter,
    title: "What does a node take down?",
    minutes: 5,
    subject: {
      is: "rehearsal",
      example: "all-on-one-node",
      flags: ["--every", "node"],
      proof: ["shop/deployment/web  forever", "it takes down shop/deployment/web"],
    },
    question:
      "web has three replicas, and a rule that keeps them together (pod affinity) on node-2. node-2 dies. For how long is web down?",
    prediction: { is: "choice", options: ["Not at all", "About 6 min", "For ever"], right: 2 },
    debrief:
      "Forever. The replacements are created after 50 s and 5 min, and the rule requires the node of the other pods, which is the dead node. Three replicas are not redundant if they share a part that can fail. Ask the same about your own cluster: kintsugi rehearse --every node.",
    code: [code.questions, code.rehearsedRun],
  },
  {
    id: "rehearse-drains",
    chapter,
    title: "Which drain never ends?",
    minutes: 4,
    subject: {
      is: "rehearsal",
      example: "budget-blocks-every-drain",
      flags: ["--drain-all"],
      proof: ["STOPS at node-1", "Cannot evict pod as it would violate the pod's disruption budget"],
    },
    question:
      "A budget keeps three of three replicas (minAvailable: 3). Every node is drained, one after the other. How far do you get?",
    prediction: {
      is: "choice",
      options: ["All three nodes, slowly", "The first node blocks the drain", "The last node blocks the drain"],
      right: 1,
    },
    debrief:
      "The first node blocks the drain: a budget that keeps all replicas allows no eviction at all. minAvailable: 2, or maxUnavailable: 1, allows one eviction at a time. Rehearse your own cluster before the night of the upgrade: kintsugi rehearse --drain-all.",
    code: [code.questions, code.disruption],
  },
  {
    id: "rehearse-zones",
    chapter,
    title: "What does a zone hold?",
    minutes: 4,
    subject: {
      is: "rehearsal",
      example: "zone-holds-all-volumes",
      flags: ["--every", "zone"],
      proof: ["zone a fails  shop/statefulset/db  forever", "it is Terminating forever"],
    },
    question:
      "A database of two pods has its volumes in zone a; zones b and c have free resources. Zone a dies. When is the database back?",
    prediction: {
      is: "choice",
      options: ["After about 6 min, in zone b", "When zone a returns", "After 6 min, empty"],
      right: 1,
    },
    debrief:
      "When zone a returns. A StatefulSet never creates a second pod of a name while the first may still run, and its volume is in zone a. Rehearse your own cluster: kintsugi rehearse --every zone.",
    code: [code.questions, code.rehearsedRun],
  },
];
