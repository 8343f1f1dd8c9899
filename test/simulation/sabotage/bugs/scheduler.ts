import type { PlantedBug } from "../planted-bug.ts";

const scheduler = "apps/scheduler/src";
const scheduling = "packages/scheduling/src";

/** Bugs of the scheduler. */
export const schedulerBugs: readonly PlantedBug[] = [
  {
    name: "the scheduler forgets a pod as soon as it has bound it, before its cache shows it",
    file: `${scheduler}/scheduling-loop.ts`,
    find: "this.#confirmations.expect(queued);",
    replace: "this.#forget(pod);",
    caughtBy: "nodes-are-not-overcommitted",
    run: "nodes are full",
    seed: 1,
  },
  {
    name: "the scheduler reserves no capacity for pods whose bindings are in flight",
    file: `${scheduling}/cluster-state/cluster-state.ts`,
    find: "this.#assumed.set(pod.uid, pod);\n    this.#place(pod, nodeName);",
    replace: "this.#assumed.set(pod.uid, pod);\n    this.#nodeOfPod.set(pod.uid, nodeName);",
    caughtBy: "no-process-exits",
    run: "nodes are full",
    seed: 1,
  },
  {
    name: "the scheduler ignores taints",
    file: `${scheduling}/plugins/taint-toleration.ts`,
    find: "if (taints.length === 0) return undefined;",
    replace: "if (taints.length >= 0) return undefined;",
    caughtBy: "pods-are-bound-to-allowed-nodes",
    run: "nodes are disconnected",
    seed: 1,
  },
  {
    name: "the scheduler preempts pods of equal priority",
    file: `${scheduling}/preemption/select-victims.ts`,
    find: "filter(({ priority }) => priority < pod.priority)",
    replace: "filter(({ priority }) => priority <= pod.priority)",
    caughtBy: "preemptors-are-more-important",
    run: "nodes have little capacity",
    seed: 1,
  },
  {
    name: "pods are preempted before the nomination is written",
    file: `${scheduler}/preemption/preemptor.ts`,
    find: "nominatedNode: nodeName,",
    replace: "nominatedNode: undefined,",
    caughtBy: "preemptors-are-more-important",
    run: "important pods are created for full nodes",
    seed: 1,
  },
  {
    name: "a binding whose response was lost is undone without a query",
    file: `${scheduler}/binding/bind.ts`,
    find: 'if (error instanceof ConnectionError && error.outcomeUnknown) return { is: "unclear", error, mayBeOurs: true };',
    replace: "void ConnectionError;",
    caughtBy: "nodes-are-not-overcommitted",
    run: "responses to the scheduler are lost",
    seed: 1,
  },
];
