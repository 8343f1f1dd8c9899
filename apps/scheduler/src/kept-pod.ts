import {
  type Container,
  type ContainerStatus,
  findCondition,
  type Pod,
  type PodCondition,
  sameJson,
  sameJsonExcept,
} from "@kintsugi/api";

/** Conditions that decisions and their reports read. */
const conditionsRead = ["PodScheduled", "DisruptionTarget"];

/**
 * Returns the pod without its node's reports about containers and addresses, which are half of a
 * running pod and do not affect decisions. A container that is being resized keeps the resources
 * that its node has reserved for it, which count where they exceed the spec's.
 */
export function withoutNodesReports(pod: Pod): Pod {
  if (pod.status === undefined) return pod;
  const { phase, nominatedNodeName, startTime, conditions, resourceClaimStatuses } = pod.status;
  const read = conditionsRead.flatMap((type) => asRead(findCondition(conditions, type)) ?? []);
  const containerStatuses = resized(pod.status.containerStatuses, pod.spec?.containers);
  const initContainerStatuses = resized(pod.status.initContainerStatuses, pod.spec?.initContainers);
  return {
    ...pod,
    status: {
      ...(phase === undefined ? {} : { phase }),
      ...(nominatedNodeName === undefined ? {} : { nominatedNodeName }),
      ...(startTime === undefined ? {} : { startTime }),
      ...(read.length === 0 ? {} : { conditions: read }),
      ...(resourceClaimStatuses === undefined ? {} : { resourceClaimStatuses }),
      ...(containerStatuses.length === 0 ? {} : { containerStatuses }),
      ...(initContainerStatuses.length === 0 ? {} : { initContainerStatuses }),
    },
  };
}

/**
 * The generation of a condition changes with each report of the node after a change of the spec.
 * This scheduler writes it only for a waiting pod.
 */
function asRead(condition: PodCondition | undefined): PodCondition | undefined {
  if (condition?.status !== "True") return condition;
  const { observedGeneration: _, ...rest } = condition;
  return rest;
}

/**
 * Reports whether two reduced states of a bound pod are equivalent for decisions, because nearly
 * all changes of placed pods are reports of their nodes.
 */
export function decidesTheSame(one: Pod, other: Pod): boolean {
  return (
    sameJsonExcept(one.metadata, other.metadata, "resourceVersion") &&
    sameJson(one.spec, other.spec) &&
    sameJsonExcept(one.status ?? {}, other.status ?? {}, "phase")
  );
}

/** The statuses of containers whose reserved resources on the node differ from their requests. */
function resized(statuses: readonly ContainerStatus[] = [], containers: readonly Container[] = []): ContainerStatus[] {
  return statuses.filter(({ name, allocatedResources }) => {
    if (allocatedResources === undefined) return false;
    const container = containers.find((candidate) => candidate.name === name);
    return !sameJson(allocatedResources, container?.resources?.requests);
  });
}
