export { pullPolicyFor } from "./defaults/container-defaults.ts";
export { setPodDefaults, setPodSpecDefaults } from "./defaults/pod-defaults.ts";
export * from "./pod-kind.ts";
export * from "./pod-type.ts";
export * from "./pod.ts";
export {
  type DisruptionReason,
  disruptionTarget,
  isDisruptedBy,
  observedGeneration,
  withDisruptionTarget,
} from "./rules/disruption.ts";
export { nodeIsWanted, nodeRequirementHolds, nodeTermMatches } from "./rules/node-selection.ts";
export {
  avoidedNodes,
  avoidedNodesMax,
  avoidNodesAnnotation,
  parsePodEscalation,
  type PodEscalation,
  podEscalationAnnotation,
  replacementNeededCondition,
} from "./rules/pod-escalation.ts";
export { parsePodFence, podFenceAnnotation, selfFencedCondition } from "./rules/pod-fence.ts";
export { type PodReferences, referencesOf } from "./rules/pod-references.ts";
export {
  addAmounts,
  type HostPort,
  hostPortsConflict,
  isSidecar,
  podHostPorts,
  podLimits,
  type PodQosClass,
  podQosClass,
  podRequests,
  resourceAmounts,
  type ResourceAmounts,
} from "./rules/pod-resources.ts";
export {
  allContainersCouldRestart,
  parsePodBackoff,
  type PodBackoff,
  podBackoffAnnotation,
  podRestartAnnotation,
} from "./rules/pod-restart.ts";
export {
  defaultGracePeriodSeconds,
  isPodActive,
  isPodAvailable,
  isPodBound,
  isPodReady,
  isPodTerminal,
  isPodTerminating,
} from "./rules/pod-state.ts";
export { readTerminations, type Termination, terminationsAnnotation } from "./rules/pod-terminations.ts";
export { configAnnotations, isMirrorPod } from "./rules/static-pod.ts";
export * from "./rules/volume-claims.ts";
export * from "./spec/affinity.ts";
export * from "./spec/container.ts";
export * from "./spec/env.ts";
export * from "./spec/pod-spec.ts";
export * from "./spec/pod-template.ts";
export * from "./spec/probe.ts";
export * from "./spec/resources.ts";
export * from "./spec/scheduling.ts";
export * from "./spec/security-context.ts";
export * from "./status/container-status.ts";
export * from "./status/pod-status.ts";
export * from "./volumes/volume-claim.ts";
export * from "./volumes/volume-cloud.ts";
export * from "./volumes/volume-files.ts";
export * from "./volumes/volume-local.ts";
export * from "./volumes/volume-network.ts";
export * from "./volumes/volume.ts";
