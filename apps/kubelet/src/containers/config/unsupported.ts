import type { Container } from "@kintsugi/api";
import type { BoundPod } from "../../model/bound-pod.ts";
import { ContainerConfigError } from "../environment/config-error.ts";

/**
 * Rejects fields that would otherwise be ignored, so that no user relies on them.
 * @throws ContainerConfigError
 */
export function refuseUnsupported(pod: BoundPod, container: Container): void {
  const ofPod = unsupportedInPod(pod);
  if (ofPod !== undefined) throw new ContainerConfigError(`${ofPod} of the pod is not supported by this kubelet`);
  const ofContainer = unsupportedInContainer(container);
  if (ofContainer === undefined) return;
  throw new ContainerConfigError(`${ofContainer} of container "${container.name}" is not supported by this kubelet`);
}

function unsupportedInPod({ spec }: BoundPod): string | undefined {
  const { securityContext } = spec;
  if (spec.hostUsers === false) return "hostUsers: false";
  return securityContext?.appArmorProfile ? "securityContext.appArmorProfile" : undefined;
}

function unsupportedInContainer(container: Container): string | undefined {
  const { securityContext } = container;
  if (container.lifecycle?.stopSignal) return "lifecycle.stopSignal";
  return securityContext?.appArmorProfile ? "securityContext.appArmorProfile" : undefined;
}
