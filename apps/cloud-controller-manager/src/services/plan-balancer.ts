import { needsHealthCheckPort, type Node, type Service, type ServiceStatus, messageOf } from "@kintsugi/api";
import { isCloudError, type LoadBalancer, type LoadBalancerSpec } from "@kintsugi/cloud";

/** The finalizer that retains the Service until its load balancer is deleted. */
export const balancerFinalizer = "service.kubernetes.io/load-balancer-cleanup";

const exclusionLabel = "node.kubernetes.io/exclude-from-external-load-balancers";
/** The autoscaler is about to remove the node. */
const toBeDeletedTaint = "ToBeDeletedByClusterAutoscaler";

/**
 * The path at which proxies report whether they are up to date, and that their node is not about to
 * be removed.
 */
const proxyHealth = { port: 10_256, path: "/healthz" };

/** A Service with a class belongs to another implementation. */
export function wantsBalancer({ metadata, spec }: Service): boolean {
  return (
    spec?.type === "LoadBalancer" && spec.loadBalancerClass === undefined && metadata.deletionTimestamp === undefined
  );
}

export function hasFinalizer({ metadata }: Service): boolean {
  return (metadata.finalizers ?? []).includes(balancerFinalizer);
}

/** Returns the balancer's permanent name: upstream's DefaultLoadBalancerName. */
export function balancerName({ metadata }: Service): string {
  return `a${(metadata.uid ?? "").replaceAll("-", "")}`.slice(0, 32);
}

/** Reports whether balancers use the node (upstream: stableNodeSetPredicates). */
export function isTarget({ metadata, spec, status }: Node): boolean {
  if (metadata.deletionTimestamp !== undefined || (spec?.providerID ?? "") === "") return false;
  const excluded = metadata.labels?.[exclusionLabel];
  // Every value of the label excludes the node, even an empty value, unless the value means false.
  if (excluded !== undefined && !["false", "f", "0"].includes(excluded.toLowerCase())) return false;
  if ((spec?.taints ?? []).some(({ key }) => key === toBeDeletedTaint)) return false;
  return addressOf(status) !== undefined;
}

function addressOf(status: Node["status"]): string | undefined {
  return status?.addresses?.find(({ type, address }) => type === "InternalIP" && !address.includes(":"))?.address;
}

/** A Service that this cloud cannot serve, with a remedy for its owner. */
export interface Unservable {
  readonly because: string;
}

/**
 * Returns the load balancer for the Service. Health checks decide whether a node gets connections,
 * and not its readiness, because a node whose kubelet is down continues to serve.
 */
export function planBalancer(service: Service, nodes: readonly Node[]): LoadBalancerSpec | Unservable {
  const { metadata, spec = {} } = service;
  const ports: LoadBalancerSpec["ports"] = [];
  for (const { port, protocol = "TCP", nodePort = 0, name = "" } of spec.ports ?? []) {
    if (nodePort === 0)
      return {
        because: `port ${name || port} has no node port, and the load balancer reaches pods by node ports only: set allocateLoadBalancerNodePorts to true`,
      };
    ports.push({ port, protocol: protocol as "TCP" | "UDP" | "SCTP", nodePort });
  }
  const address = spec.loadBalancerIP ?? "";
  const healthPort = spec.healthCheckNodePort ?? 0;
  const targets = nodes
    .filter(isTarget)
    .map((node) => ({ name: node.metadata.name ?? "", address: addressOf(node.status) ?? "" }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return {
    name: balancerName(service),
    description: `${metadata.namespace}/${metadata.name}`,
    ...(address === "" ? {} : { address }),
    ports,
    targets,
    healthCheck: needsHealthCheckPort(spec) && healthPort !== 0 ? { port: healthPort, path: "/healthz" } : proxyHealth,
    sourceRanges: (spec.loadBalancerSourceRanges ?? []).map((range) => range.trim()),
    sticky: spec.sessionAffinity === "ClientIP",
    // The policy Cluster makes the node replace the client's address, so pods do not get it.
    keepsClientAddress: spec.externalTrafficPolicy === "Local",
  };
}

/**
 * Returns the Service's new status. The balancer forwards connections itself, so packets of pods
 * must not bypass it: `ipMode` is Proxy.
 */
export function planBalancerStatus({ status }: Service, balancer: LoadBalancer | undefined): ServiceStatus {
  const ingress = balancer === undefined ? {} : { ingress: [{ ip: balancer.address, ipMode: "Proxy" }] };
  return { ...status, loadBalancer: ingress };
}

/** Returns the message of upstream's event about a failure. */
export function balancerFailure(error: unknown): string {
  const text = messageOf(error);
  return `Error syncing load balancer: failed to ensure load balancer: ${isCloudError(error) ? `${error.code}: ${text}` : text}`;
}
