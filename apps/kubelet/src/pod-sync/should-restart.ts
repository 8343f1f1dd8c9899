import type { Container } from "@kintsugi/api";
import { type BoundPod, isDeleting, restartPolicyOf } from "../pods/bound-pod.ts";
import { findContainer, type ObservedPod } from "../runtime/observed-pod.ts";

/** Whether a regular container that is not running has to be started (kubelet/container/helpers.go ShouldContainerBeRestarted). */
export function shouldRestart(pod: BoundPod, container: Pick<Container, "name">, observed: ObservedPod): boolean {
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
      return restartPolicyOf(pod) === "Always" || (restartPolicyOf(pod) === "OnFailure" && newest.exitCode !== 0);
  }
}

export function restartsOnFailure(pod: BoundPod): boolean {
  return restartPolicyOf(pod) !== "Never";
}
