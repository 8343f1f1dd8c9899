import { findCondition, type Node, type NodeCondition, nodeLifecycleConditions, withCondition } from "@kintsugi/api";

/**
 * The steps of a drain that a node's conditions report, by KEP-5683; "uncordoned" is this project's
 * addition.
 */
export type DrainStep = "started" | "completed" | "failed" | "interrupted" | "uncordoned";

const steps: Readonly<Record<DrainStep, { reason: string; inProgress: "True" | "False"; drained: "True" | "False" }>> =
  {
    started: { reason: "KintsugiDrainStarted", inProgress: "True", drained: "False" },
    completed: { reason: "KintsugiDrainCompleted", inProgress: "False", drained: "True" },
    failed: { reason: "KintsugiDrainFailed", inProgress: "False", drained: "False" },
    interrupted: { reason: "KintsugiDrainInterrupted", inProgress: "False", drained: "False" },
    uncordoned: { reason: "KintsugiUncordoned", inProgress: "False", drained: "False" },
  };

/**
 * The two conditions of a drain at this step. They are written together, as the only conditions of
 * a patch, so that the conditions of the kubelet and of other writers are unchanged.
 */
export function drainConditions(
  node: Node,
  step: DrainStep,
  { message, nowMs }: { message: string; nowMs: number },
): NodeCondition[] {
  const { reason, inProgress, drained } = steps[step];
  const before = node.status?.conditions;
  const next = [
    { type: nodeLifecycleConditions.drainInProgress, status: inProgress },
    { type: nodeLifecycleConditions.drained, status: drained },
  ];
  return next.map(({ type, status }) => {
    const known = findCondition(before, type);
    const [condition] = withCondition<NodeCondition>(
      known === undefined ? [] : [known],
      { type, status, reason, message },
      nowMs,
    );
    return condition as NodeCondition;
  });
}

/** Reports whether the node has a condition of a drain that an uncordon has to end. */
export function isMarkedByDrain({ status }: Node): boolean {
  const types: readonly string[] = [nodeLifecycleConditions.drainInProgress, nodeLifecycleConditions.drained];
  return (status?.conditions ?? []).some((condition) => types.includes(condition.type) && condition.status !== "False");
}
