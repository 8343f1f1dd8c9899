import { cpuMillicores, memoryBytes } from "../../../../values/quantity.ts";
import type { Container } from "../spec/container.ts";
import type { Pod } from "../pod.ts";

/**
 * Amounts by resource name: thousandths of a core for `cpu`, whole units (bytes) for all others.
 */
export type ResourceAmounts = Record<string, number>;

type QuantityMap = Readonly<Record<string, string>> | undefined;

/** Parses a list of quantities, such as a node's allocatable resources. */
export function resourceAmounts(quantities: QuantityMap): ResourceAmounts {
  const amounts: ResourceAmounts = {};
  for (const [name, quantity] of Object.entries(quantities ?? {})) {
    amounts[name] = name === "cpu" ? cpuMillicores(quantity) : memoryBytes(quantity);
  }
  return amounts;
}

export function addAmounts(into: ResourceAmounts, more: ResourceAmounts): void {
  for (const [name, amount] of Object.entries(more)) into[name] = (into[name] ?? 0) + amount;
}

/**
 * Returns the resources that a node reserves for the pod: the sum of its containers and sidecars,
 * or the largest need of its init containers if that is more, plus the runtime's overhead. While a
 * container is resized, the largest of its requested, granted and actual resources counts; a
 * request that its node can never grant does not count (component-helpers determineContainerReqs).
 */
export function podRequests(pod: Pod): ResourceAmounts {
  const requests = aggregate(pod, (container) => containerRequests(pod, container));
  overrideWithPodLevel(requests, pod.spec?.resources?.requests);
  addAmounts(requests, resourceAmounts(pod.spec?.overhead));
  return requests;
}

/**
 * Returns the pod's limits. If a container lacks a limit of a resource, the pod's limit of this
 * resource is missing or too low.
 */
export function podLimits(pod: Pod): ResourceAmounts {
  const limits = aggregate(pod, (container) => resourceAmounts(container.resources?.limits));
  overrideWithPodLevel(limits, pod.spec?.resources?.limits);
  for (const [name, amount] of Object.entries(resourceAmounts(pod.spec?.overhead))) {
    // Overhead only raises existing limits.
    if ((limits[name] ?? 0) > 0) limits[name] = (limits[name] ?? 0) + amount;
  }
  return limits;
}

/** An init container that runs as long as the main containers. */
export function isSidecar(container: Pick<Container, "restartPolicy">): boolean {
  return container.restartPolicy === "Always";
}

export type PodQosClass = "Guaranteed" | "Burstable" | "BestEffort";

/**
 * Derives the pod's QoS class from its requests and limits of cpu and memory; the class decides the
 * order of kills when memory runs out.
 */
export function podQosClass(pod: Pod): PodQosClass {
  const stated = qosStatements(pod);
  const requests: ResourceAmounts = {};
  const limits: ResourceAmounts = {};
  let limitedThroughout = true;
  for (const statement of stated) {
    const statedRequests = positiveOfQos(statement.requests);
    const statedLimits = positiveOfQos(statement.limits);
    addAmounts(requests, statedRequests);
    addAmounts(limits, statedLimits);
    limitedThroughout &&= Object.keys(statedLimits).length === qosResources.length;
  }
  if (Object.keys(requests).length === 0 && Object.keys(limits).length === 0) return "BestEffort";
  const equal = qosResources.every((name) => requests[name] === limits[name]);
  return limitedThroughout && equal ? "Guaranteed" : "Burstable";
}

/** A port of the node that the pod reserves. */
export interface HostPort {
  hostIP: string;
  protocol: "TCP" | "UDP" | "SCTP";
  port: number;
}

/** The node's ports that the pod's containers and sidecars reserve. */
export function podHostPorts(pod: Pod): HostPort[] {
  const sidecars = (pod.spec?.initContainers ?? []).filter(isSidecar);
  return [...(pod.spec?.containers ?? []), ...sidecars].flatMap((container) =>
    (container.ports ?? [])
      .filter(({ hostPort = 0 }) => hostPort > 0)
      .map(({ hostIP = "", protocol = "TCP", hostPort = 0 }) => ({
        hostIP: hostIP === "" ? anyAddress : hostIP,
        protocol,
        port: hostPort,
      })),
  );
}

export function hostPortsConflict(a: HostPort, b: HostPort): boolean {
  if (a.port !== b.port || a.protocol !== b.protocol) return false;
  return a.hostIP === b.hostIP || a.hostIP === anyAddress || b.hostIP === anyAddress;
}

function containerRequests(pod: Pod, container: Container): ResourceAmounts {
  const asked = resourceAmounts(container.resources?.requests);
  const { containerStatuses = [], initContainerStatuses = [] } = pod.status ?? {};
  const status = [...containerStatuses, ...initContainerStatuses].find(({ name }) => name === container.name);
  if (status?.allocatedResources === undefined) return asked;
  const amounts = isResizeInfeasible(pod) ? {} : asked;
  raiseTo(amounts, resourceAmounts(status.allocatedResources));
  raiseTo(amounts, resourceAmounts(status.resources?.requests));
  return amounts;
}

function isResizeInfeasible(pod: Pod): boolean {
  const pending = pod.status?.conditions?.find(({ type }) => type === "PodResizePending");
  return pending?.reason === "Infeasible";
}

const anyAddress = "0.0.0.0";

const qosResources = ["cpu", "memory"] as const;

function aggregate(pod: Pod, amountsOf: (container: Container) => ResourceAmounts): ResourceAmounts {
  const total: ResourceAmounts = {};
  for (const container of pod.spec?.containers ?? []) addAmounts(total, amountsOf(container));
  // Init containers run one after the other, each together with the sidecars that started before
  // it.
  const sidecars: ResourceAmounts = {};
  const initPeak: ResourceAmounts = {};
  for (const container of pod.spec?.initContainers ?? []) {
    const amounts = amountsOf(container);
    if (isSidecar(container)) {
      addAmounts(total, amounts);
      addAmounts(sidecars, amounts);
      raiseTo(initPeak, sidecars);
    } else {
      addAmounts(amounts, sidecars);
      raiseTo(initPeak, amounts);
    }
  }
  raiseTo(total, initPeak);
  return total;
}

function raiseTo(amounts: ResourceAmounts, least: ResourceAmounts): void {
  for (const [name, amount] of Object.entries(least)) amounts[name] = Math.max(amounts[name] ?? 0, amount);
}

function overrideWithPodLevel(amounts: ResourceAmounts, podLevel: QuantityMap): void {
  for (const [name, amount] of Object.entries(resourceAmounts(podLevel))) {
    if (name === "cpu" || name === "memory" || name.startsWith("hugepages-")) amounts[name] = amount;
  }
}

interface Statement {
  requests?: QuantityMap;
  limits?: QuantityMap;
}

function qosStatements(pod: Pod): Statement[] {
  if (pod.spec?.resources !== undefined) return [pod.spec.resources];
  return [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? [])].map(({ resources }) => resources ?? {});
}

function positiveOfQos(quantities: QuantityMap): ResourceAmounts {
  const amounts: ResourceAmounts = {};
  for (const name of qosResources) {
    const quantity = quantities?.[name];
    const amount = quantity === undefined ? 0 : name === "cpu" ? cpuMillicores(quantity) : memoryBytes(quantity);
    if (amount > 0) amounts[name] = amount;
  }
  return amounts;
}
