import type { Container } from "@kintsugi/api";
import { type BoundPod, containersOf, isDeleting, restartPolicyOf } from "./bound-pod.ts";
import { findContainer, type ObservedPod } from "./observed-pod.ts";

/**
 * Reports whether a regular container that is not running has to be started
 * (kubelet/container/helpers.go ShouldContainerBeRestarted).
 */
export function shouldRestart(pod: BoundPod, container: Container, observed: ObservedPod): boolean {
  if (isDeleting(pod)) return false;
  const newest = findContainer(observed, container.name);
  if (!newest) return true;
  switch (newest.state) {
    case "running":
      return false;
    case "created":
    case "unknown":
      return true;
    case "exited":
      return restartsAfter(pod, container, newest.exitCode);
  }
}

/**
 * Reports whether a container that ended with this code is started again. The first of its rules
 * that matches decides, then its own policy, then its pod's (KEP-5307; pkg/api/v1/pod/util.go
 * ContainerShouldRestart).
 */
export function restartsAfter(pod: BoundPod, container: Container, exitCode: number): boolean {
  if (actionAfter(container, exitCode) === "Restart") return true;
  switch (container.restartPolicy ?? restartPolicyOf(pod)) {
    case "OnFailure":
      return exitCode !== 0;
    case "Never":
      return false;
    default:
      return true;
  }
}

/**
 * Returns the action of its rules for a container that ended with this code; rules without a policy
 * of the container's own do not count.
 */
export function actionAfter(container: Container, exitCode: number): string | undefined {
  if (container.restartPolicy === undefined) return undefined;
  return container.restartPolicyRules?.find(({ exitCodes }) => {
    if (exitCodes === undefined) return false;
    const isListed = exitCodes.values?.includes(exitCode) ?? false;
    return exitCodes.operator === "NotIn" ? !isListed : isListed;
  })?.action;
}

/**
 * The exit code of a killed container: it may exit otherwise, but a kill is never meant to end in
 * success.
 */
const exitCodeOfKilled = 137;

/** Reports whether a container that is killed now will be started again. */
export function restartsWhenKilled(pod: BoundPod, container: Container): boolean {
  return restartsAfter(pod, container, exitCodeOfKilled);
}

/** Reports whether anything in the pod is started again when all of it dies with its sandbox. */
export function outlivesItsSandbox(pod: BoundPod): boolean {
  return containersOf(pod).some((container) => restartsWhenKilled(pod, container));
}
