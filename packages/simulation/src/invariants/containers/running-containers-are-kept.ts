import { isPodActive, type Pod, podRestartAnnotation, pods } from "@kintsugi/api";
import type { Invariant, InvariantContext } from "../invariant.ts";
import { asksForFence } from "../nodes/fenced-pods-stop.ts";
import { containerName } from "../observed/known-containers.ts";

/**
 * A running container is never ended without a reason. The rule for a kubelet's restart applies to
 * all its actions: the only reasons are a pod that is being deleted, a dead sandbox, a failed
 * probe, or a fence. The responses to a kubelet's renewals cannot be observed, so any fault may
 * have closed a fence.
 */
export function runningContainersAreKept({ quietPeriod, known, timers }: InvariantContext): Invariant {
  return {
    name: "running-containers-are-kept",
    never:
      "a running container that is stopped although its pod is not being deleted, its sandbox runs and it has neither a probe nor, during faults, a fence",
    container({ type, container, sandboxReady }, check) {
      if (type !== "stopping") return;
      const pod = known.of(pods).get(container.podKey);
      const isWanted = pod !== undefined && pod.metadata.uid === container.uid && isPodActive(pod);
      const mayStop =
        !isWanted ||
        pod.spec?.nodeName !== container.node ||
        !sandboxReady ||
        mayBeKilled(pod, container.name) ||
        (asksForFence(pod) && quietPeriod.forMs < timers.nodeMonitorGracePeriodMs);
      check(mayStop ? undefined : `${containerName(container)} was stopped on ${container.node}, where it has to run`);
    },
  };
}

/**
 * A failed probe, the pod's deadline, or a request for a restart of the pod may kill the container.
 */
function mayBeKilled({ metadata, spec }: Pod, name: string): boolean {
  const containers = [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])];
  const container = containers.find((each) => each.name === name);
  if (spec?.activeDeadlineSeconds !== undefined || podRestartAnnotation in (metadata.annotations ?? {})) return true;
  if (containers.some(({ restartPolicyRules = [] }) => restartPolicyRules.length > 0)) return true;
  return container?.livenessProbe !== undefined || container?.startupProbe !== undefined;
}
