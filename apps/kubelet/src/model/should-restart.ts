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
 * Reports whether a container that ended with this code is restarted. The first of its rules that
 * matches decides, then its own policy, then its pod's (KEP-5307; pkg/api/v1/pod/util.go
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
 * Returns the action of the rules for a container that ended with this code. Rules of a container
 * without its own policy do not count.
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
 * The assumed exit code of a killed container. It may exit with another code, but a kill never
 * counts as success.
 */
const exitCodeOfKilled = 137;

/** Reports whether a container that is killed now would be restarted. */
export function restartsWhenKilled(pod: BoundPod, container: Container): boolean {
  return restartsAfter(pod, container, exitCodeOfKilled);
}

/** Reports whether any container of the pod is restarted when all of them end with its sandbox. */
export function outlivesItsSandbox(pod: BoundPod): boolean {
  return containersOf(pod).some((container) => restartsWhenKilled(pod, container));
}
