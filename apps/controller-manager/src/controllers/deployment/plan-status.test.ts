import { type DeploymentCondition, type DeploymentStatus, parseTimestamp } from "@kintsugi/api";
import { expect, test } from "vitest";
import { deadlineInMs } from "./plan-status.ts";
import { aDeployment } from "./testing/rollout-world.ts";

const updatedAt = "2026-01-01T00:00:00Z";
const updatedMs = parseTimestamp(updatedAt);

function aStatus(reason: string, availableReplicas: number): DeploymentStatus {
  const progressing: DeploymentCondition = {
    type: "Progressing",
    status: "True",
    reason,
    lastUpdateTime: updatedAt,
    lastTransitionTime: updatedAt,
  };
  return { observedGeneration: 1, replicas: 3, updatedReplicas: 3, availableReplicas, conditions: [progressing] };
}

test.each([
  ["a rollout without progress for 10 s has 590 s left, and a second for rounding", "ReplicaSetUpdated", 2, 10, 591],
  ["a rollout beyond its deadline is inspected again within a second", "ReplicaSetUpdated", 2, 700, 1],
  ["a rollout that timed out has no deadline", "ProgressDeadlineExceeded", 2, 700, undefined],
  ["a complete rollout has no deadline", "NewReplicaSetAvailable", 3, 10, undefined],
  // The loss of a node caused the controller to plan each of its Deployments every second until
  // then.
  [
    "a complete rollout that loses a pod a day later has no deadline either",
    "NewReplicaSetAvailable",
    2,
    86_400,
    undefined,
  ],
])("%s", (_, reason, available, afterSeconds, seconds) => {
  const inMs = deadlineInMs(aDeployment(3), aStatus(reason, available), updatedMs + afterSeconds * 1000);
  expect(inMs).toBe(seconds === undefined ? undefined : seconds * 1000);
});
