import type { LoadBalancer, LoadBalancerSpec } from "@kintsugi/cloud";
import type { BalancerTarget } from "../choose-target.ts";

/** A load balancer whose packets the kernel forwards, with the health of its targets. */
export interface PassedBalancer {
  readonly address: string;
  readonly ports: LoadBalancerSpec["ports"];
  readonly sourceRanges: readonly string[];
  readonly sticky: boolean;
  readonly healthy: readonly BalancerTarget[];
  /** Targets that are members and failed their checks. Their connections are reset. */
  readonly unhealthy: readonly BalancerTarget[];
}

/**
 * Reports whether packets of the port keep their clients' addresses and are forwarded by the
 * kernel. The connections of other ports are accepted here, so that a client of a node that does
 * not answer is connected to another node.
 */
export function isPassed(
  { keepsClientAddress }: LoadBalancerSpec,
  { protocol }: LoadBalancerSpec["ports"][number],
): boolean {
  return keepsClientAddress || protocol !== "TCP";
}

/** Returns the part of the balancer that the kernel forwards; undefined where there is none. */
export function passedPart(
  { address, spec }: LoadBalancer,
  healthy: readonly BalancerTarget[],
): PassedBalancer | undefined {
  const ports = spec.ports.filter((port) => isPassed(spec, port));
  if (ports.length === 0) return undefined;
  const unhealthy = spec.targets.filter((target) => !healthy.some((each) => each.address === target.address));
  return { address, ports, sourceRanges: spec.sourceRanges, sticky: spec.sticky, healthy, unhealthy };
}
