import type { Pod } from "../pod.ts";
import type { PodSpec } from "../spec/pod-spec.ts";
import { requestForPod } from "../rules/pod-level-resources.ts";
import { defaultGracePeriodSeconds } from "../rules/pod-state.ts";
import type { PodStatus } from "../status/pod-status.ts";
import { requestWhatIsLimited, roundToMilli, setContainerDefaults } from "./container-defaults.ts";
import { setVolumeDefaults } from "./volume-defaults.ts";

/**
 * Sets upstream's defaults of a pod itself, in place. Admission sets the service account and the
 * tolerations.
 */
export function setPodDefaults(pod: Pod): void {
  if (pod.spec !== undefined) {
    setPodSpecDefaults(pod.spec);
    for (const container of pod.spec.containers) requestWhatIsLimited(container.resources);
    for (const container of pod.spec.initContainers ?? []) requestWhatIsLimited(container.resources);
    requestForPod(pod.spec);
    pod.spec.enableServiceLinks ??= true;
    if (pod.spec.hostNetwork === true) exposeContainerPorts(pod.spec);
  }
  if (pod.status !== undefined) setPodStatusDefaults(pod.status);
}

/** Sets the defaults that pods and pod templates have in common. */
export function setPodSpecDefaults(spec: PodSpec): void {
  spec.restartPolicy ||= "Always";
  spec.terminationGracePeriodSeconds ??= defaultGracePeriodSeconds;
  spec.dnsPolicy ||= "ClusterFirst";
  spec.securityContext ??= {};
  spec.schedulerName ||= "default-scheduler";
  // `serviceAccount` is the older name of the same field: both fields have the same value.
  const account = spec.serviceAccountName || spec.serviceAccount;
  if (account !== undefined && account !== "") {
    spec.serviceAccountName = account;
    spec.serviceAccount = account;
  }
  roundToMilli(spec.overhead);
  roundToMilli(spec.resources?.limits);
  roundToMilli(spec.resources?.requests);
  spec.containers.forEach(setContainerDefaults);
  spec.initContainers?.forEach(setContainerDefaults);
  spec.ephemeralContainers?.forEach(setContainerDefaults);
  spec.volumes?.forEach(setVolumeDefaults);
}

/** A pod in the host network has no ports of its own, so a container's port is the node's port. */
function exposeContainerPorts(spec: PodSpec): void {
  for (const container of [...spec.containers, ...(spec.initContainers ?? [])]) {
    for (const port of container.ports ?? []) port.hostPort ||= port.containerPort;
  }
}

/** The single address always equals the first address of the list. */
function setPodStatusDefaults(status: PodStatus): void {
  if ((status.podIP ?? "") !== "" && status.podIPs?.[0]?.ip !== status.podIP)
    status.podIPs = [{ ip: status.podIP ?? "" }];
  if (status.podIP === undefined && status.podIPs?.[0] !== undefined) status.podIP = status.podIPs[0].ip;
  if ((status.hostIP ?? "") !== "" && status.hostIPs?.[0]?.ip !== status.hostIP)
    status.hostIPs = [{ ip: status.hostIP ?? "" }];
}
