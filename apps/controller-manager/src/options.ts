import { profiles } from "@kintsugi/api";
import type { NodeIpamOptions } from "./controllers/node-ipam/plan.ts";

/** Every number that steers a controller; the names are those of upstream's flags. */
export interface ControllerManagerOptions {
  nodeMonitorGracePeriodMs: number;
  nodeStartupGracePeriodMs: number;
  /** How often all nodes are looked at again, and whether the API server answers. */
  nodeMonitorPeriodMs: number;
  nodeEvictionRate: number;
  secondaryNodeEvictionRate: number;
  unhealthyZoneThreshold: number;
  largeClusterSizeThreshold: number;
  /**
   * Ours: says by a condition and events on a node that evictions are paused, and does not begin to evict while so many other
   * nodes are late that they may be about to be paused. Off in the profile `kubernetes`. Default true.
   */
  announceEvictionPauses: boolean;
  /** Whether taint eviction takes a Ready pod below its PodDisruptionBudget. */
  evictionPdbPolicy: "ignore" | "respect";
  podGcQuarantineMs: number;
  podGcPeriodMs: number;
  /** Ended pods beyond this number are deleted; 0 keeps all. Default 12,500. */
  terminatedPodGcThreshold: number;
  /** Reconciles of each controller at the same time; upstream's defaults. */
  concurrentDeploymentSyncs: number;
  concurrentReplicaSetSyncs: number;
  concurrentGcSyncs: number;
  concurrentNamespaceSyncs: number;
  concurrentEndpointSyncs: number;
  /** How long changes of pods are gathered before the Endpoints of their Service are written. Default 0. */
  endpointUpdatesBatchPeriodMs: number;
  concurrentServiceEndpointSyncs: number;
  /** A slice is sent to every node when one of its endpoints changes. Default 100. */
  maxEndpointsPerSlice: number;
  /** How long changes of pods are gathered before the slices of their Service are written. Default 0. */
  endpointsliceUpdatesBatchPeriodMs: number;
  /** The authority that signs the API server, PEM, put into a ConfigMap of each namespace; "" for none. Default "". */
  rootCa: string;
  /** From what nodes get the ranges of their pods; without it their kubelets say them. Default none. */
  nodeIpam?: NodeIpamOptions | undefined;
}

const profile = profiles.default;

export const defaultControllerManagerOptions: ControllerManagerOptions = {
  nodeMonitorGracePeriodMs: profile.nodeMonitorGracePeriodMs,
  nodeStartupGracePeriodMs: profile.nodeStartupGracePeriodMs,
  nodeMonitorPeriodMs: profile.nodeMonitorPeriodMs,
  nodeEvictionRate: profile.nodeEvictionRate,
  secondaryNodeEvictionRate: profile.secondaryNodeEvictionRate,
  unhealthyZoneThreshold: profile.unhealthyZoneThreshold,
  largeClusterSizeThreshold: profile.largeClusterSizeThreshold,
  announceEvictionPauses: true,
  evictionPdbPolicy: profile.evictionPdbPolicy,
  podGcQuarantineMs: profile.podGcQuarantineMs,
  podGcPeriodMs: profile.podGcPeriodMs,
  terminatedPodGcThreshold: 12_500,
  concurrentDeploymentSyncs: 5,
  concurrentReplicaSetSyncs: 5,
  concurrentGcSyncs: 20,
  concurrentNamespaceSyncs: 10,
  concurrentEndpointSyncs: 5,
  endpointUpdatesBatchPeriodMs: 0,
  concurrentServiceEndpointSyncs: 5,
  maxEndpointsPerSlice: 100,
  endpointsliceUpdatesBatchPeriodMs: 0,
  rootCa: "",
};
