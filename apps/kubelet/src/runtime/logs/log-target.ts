import type { ContainerStatus, Pod } from "@kintsugi/api";
import { containerStatusesOf } from "../../model/bound-pod.ts";
import { runtimeIdOf } from "../../model/labels.ts";

export type LogTarget = { found: true; containerId: string } | { found: false; statusCode: 400 | 404; message: string };

/**
 * Selects the instance whose log is requested, by the pod's status (kubelet_pods.go
 * validateContainerLogStatus).
 */
export function logTarget(pod: Pod, containerName: string, previous: boolean): LogTarget {
  const podName = pod.metadata.name ?? "";
  const where = `container "${containerName}" in pod "${podName}"`;
  const { spec } = pod;
  const known = [...(spec?.containers ?? []), ...(spec?.initContainers ?? []), ...(spec?.ephemeralContainers ?? [])];
  if (!known.some(({ name }) => name === containerName)) {
    return { found: false, statusCode: 404, message: `container "${containerName}" not found in pod "${podName}"` };
  }
  const container = containerStatusesOf(pod).find(({ name }) => name === containerName);
  if (!container) return refuse(`${where} is not available`);
  const last = container.lastState?.terminated?.containerID;
  if (previous) {
    if (!last) return refuse(`previous terminated container "${containerName}" in pod "${podName}" not found`);
    return hit(last);
  }
  return targetOfState(container, where);
}

function targetOfState({ state, lastState, containerID }: ContainerStatus, where: string): LogTarget {
  const last = lastState?.terminated?.containerID;
  if (state?.running && containerID) return hit(containerID);
  if (state?.terminated) {
    const id = state.terminated.containerID || last;
    return id ? hit(id) : refuse(`${where} is terminated`);
  }
  if (lastState?.terminated) return last ? hit(last) : refuse(`${where} is terminated`);
  switch (state?.waiting?.reason) {
    case "ErrImagePull":
      return refuse(`${where} is waiting to start: image can't be pulled`);
    case "ImagePullBackOff":
      return refuse(`${where} is waiting to start: trying and failing to pull image`);
    case undefined:
      return refuse(`${where} is waiting to start - no logs yet`);
    default:
      return refuse(`${where} is waiting to start: ${state?.waiting?.reason ?? ""}`);
  }
}

function hit(containerId: string): LogTarget {
  return { found: true, containerId: runtimeIdOf(containerId) };
}

function refuse(message: string): LogTarget {
  return { found: false, statusCode: 400, message };
}
