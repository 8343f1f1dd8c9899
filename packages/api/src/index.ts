export { applyDefaults } from "./defaults/apply-defaults.ts";
export { pullPolicyFor } from "./defaults/container-defaults.ts";
export { setPodDefaults, setPodSpecDefaults } from "./defaults/pod-defaults.ts";
export { setServiceDefaults } from "./defaults/service-defaults.ts";
export {
  setDeploymentDefaults,
  setEndpointsDefaults,
  setEndpointSliceDefaults,
  setNamespaceDefaults,
  setNodeDefaults,
  setReplicaSetDefaults,
  setRoleBindingDefaults,
  setSecretDefaults,
  setTokenRequestDefaults,
} from "./defaults/small-kinds.ts";
export {
  ApiError,
  type ApiErrorOptions,
  isApiError,
  statusCodeByReason,
  type StatusReason,
} from "./errors/api-error.ts";
export * from "./kinds/apps/deployment.ts";
export * from "./kinds/apps/replica-set.ts";
export * from "./kinds/authentication/self-subject-review.ts";
export * from "./kinds/authentication/token-request.ts";
export * from "./kinds/authentication/token-review.ts";
export * from "./kinds/authorization/access-review.ts";
export * from "./kinds/authorization/attributes.ts";
export * from "./kinds/authorization/rules-review.ts";
export * from "./kinds/autoscaling/scale.ts";
export * from "./kinds/certificates/certificate-signing-request.ts";
export * from "./kinds/coordination/lease.ts";
export * from "./kinds/core/binding.ts";
export * from "./kinds/core/bootstrap-token.ts";
export * from "./kinds/core/config-map.ts";
export * from "./kinds/core/endpoints.ts";
export * from "./kinds/core/event.ts";
export * from "./kinds/core/namespace.ts";
export * from "./kinds/core/references.ts";
export * from "./kinds/core/secret.ts";
export * from "./kinds/core/service.ts";
export * from "./kinds/core/service-account.ts";
export * from "./kinds/discovery/endpoint-slice.ts";
export * from "./kinds/events/event.ts";
export * from "./kinds/metrics/usage.ts";
export * from "./kinds/node/node.ts";
export * from "./kinds/node/node-spec.ts";
export * from "./kinds/node/node-status.ts";
export * from "./kinds/pod/affinity.ts";
export * from "./kinds/pod/container.ts";
export * from "./kinds/pod/container-status.ts";
export * from "./kinds/pod/env.ts";
export * from "./kinds/pod/pod.ts";
export * from "./kinds/pod/pod-spec.ts";
export * from "./kinds/pod/pod-status.ts";
export * from "./kinds/pod/pod-template.ts";
export * from "./kinds/pod/probe.ts";
export * from "./kinds/pod/resources.ts";
export * from "./kinds/pod/scheduling.ts";
export * from "./kinds/pod/security-context.ts";
export * from "./kinds/pod/volume.ts";
export * from "./kinds/pod/volume-claim.ts";
export * from "./kinds/pod/volume-cloud.ts";
export * from "./kinds/pod/volume-files.ts";
export * from "./kinds/pod/volume-local.ts";
export * from "./kinds/pod/volume-network.ts";
export * from "./kinds/policy/eviction.ts";
export * from "./kinds/policy/pod-disruption-budget.ts";
export * from "./kinds/rbac/role.ts";
export * from "./kinds/rbac/role-binding.ts";
export { findSchema, type ObjectSchema } from "./kinds/schemas.ts";
export * from "./meta/condition.ts";
export * from "./meta/delete-options.ts";
export * from "./meta/label-selector-type.ts";
export * from "./meta/list-meta.ts";
export * from "./meta/object-meta.ts";
export * from "./meta/status.ts";
export {
  alreadyExists,
  applyConflict,
  badRequest,
  conflict,
  disruptionBudgetExceeded,
  expiredContinue,
  expiredResourceVersion,
  expiredWatch,
  forbidden,
  internalError,
  invalid,
  methodNotSupported,
  notAcceptable,
  notFound,
  preconditionFailed,
  qualifiedName,
  qualifiedResource,
  requestTooLarge,
  serviceUnavailable,
  timedOut,
  tooLargeResourceVersion,
  tooManyRequests,
  unauthorized,
  unsupportedMediaType,
} from "./errors/refusals.ts";
export { fromStatus, isStatusReason, toStatus } from "./errors/status-conversion.ts";
export { findUntoleratedTaint, noExecuteTaints, sameTaint, tolerates, tolerationSeconds } from "./kinds/node/taints.ts";
export {
  addAmounts,
  type HostPort,
  hostPortsConflict,
  isSidecar,
  podHostPorts,
  podLimits,
  podQosClass,
  type PodQosClass,
  podRequests,
  resourceAmounts,
  type ResourceAmounts,
} from "./kinds/pod/pod-resources.ts";
export { PriorityClass, systemCriticalPriority, systemPriorityClasses } from "./kinds/scheduling/priority-class.ts";
export { nodeIsWanted, nodeTermMatches } from "./kinds/pod/node-selection.ts";
export { type PodReferences, referencesOf } from "./kinds/pod/pod-references.ts";
export { configAnnotations, isMirrorPod, isStaticPod, runtimeUidOf } from "./kinds/pod/static-pod.ts";
export {
  type DisruptionReason,
  disruptionTarget,
  isDisruptedBy,
  withDisruptionTarget,
} from "./kinds/pod/disruption.ts";
export {
  isPodActive,
  isPodAvailable,
  isPodBound,
  isPodReady,
  isPodTerminal,
  isPodTerminating,
} from "./kinds/pod/pod-state.ts";
export {
  type ConditionLike,
  findCondition,
  isConditionTrue,
  withCondition,
  withoutCondition,
} from "./meta/conditions.ts";
export {
  type FieldRequirement,
  type FieldSelector,
  formatFieldSelector,
  matchesFields,
  parseFieldSelector,
  requiredField,
} from "./meta/field-selector.ts";
export { base64Length, encodeBase64 } from "./values/base64.ts";
export { fnv1a32 } from "./values/fnv.ts";
export { scaledCount } from "./values/int-or-percent.ts";
export { canonicalJson, sameJson, sameJsonExcept } from "./values/json.ts";
export { oncePer } from "./values/once-per.ts";
export { parseLabelSelector, SelectorError } from "./meta/label-selector-parser.ts";
export {
  formatSelector,
  type LabelOperator,
  type LabelRequirement,
  mapSelector,
  matchesLabels,
  requiredValue,
  selectsEverything,
  selectsNothing,
  type Selector,
  toSelector,
} from "./meta/label-selector.ts";
export {
  asPrefix,
  checkConfigKey,
  checkEnvironmentName,
  checkLabel1035,
  checkLabel1123,
  checkLabelValue,
  checkPathSegment,
  checkPortName,
  checkPortNumber,
  checkQualifiedName,
  checkSubdomain1123,
  type NameCheck,
} from "./values/names.ts";
export { controllerOf, controllerReference, isControlledBy } from "./meta/owner-references.ts";
export {
  addQuantities,
  bytesQuantity,
  canonicalQuantity,
  compareQuantities,
  cpuMillicores,
  type ExactQuantity,
  formatQuantity,
  isQuantity,
  memoryBytes,
  milliQuantity,
  milliUnits,
  parseQuantity,
  QuantityError,
  type QuantityFormat,
  subtractQuantities,
  wholeUnits,
} from "./values/quantity.ts";
export {
  allContainersCouldRestart,
  parsePodBackoff,
  type PodBackoff,
  podBackoffAnnotation,
  podRestartAnnotation,
} from "./kinds/pod/pod-restart.ts";
export { readTerminations, type Termination, terminationsAnnotation } from "./kinds/pod/pod-terminations.ts";
export { type ContainerEnd, containerStories, type ContainerStory } from "./timeline/container-stories.ts";
export {
  avoidedNodes,
  avoidedNodesMax,
  avoidNodesAnnotation,
  parsePodEscalation,
  type PodEscalation,
  podEscalationAnnotation,
  replacementNeededCondition,
} from "./kinds/pod/pod-escalation.ts";
export { formatDuration, parseDurationMs } from "./values/duration.ts";
export { clockSkew } from "./values/clock-skew.ts";
export { withoutUndefined } from "./values/without-undefined.ts";
export { formatIpv4, formatIpv4Range, type Ipv4Range, ipv4Number, parseIpv4Range } from "./values/ipv4-range.ts";
export {
  canonicalMicroTime,
  canonicalTimestamp,
  formatMicroTime,
  formatTimestamp,
  isTimestamp,
  parseTimestamp,
} from "./values/timestamp.ts";
export { collectionPath, groupVersionPath, objectPath, parseObjectPath, type ResourcePath } from "./paths.ts";
export type { ApiList, ApiObject } from "./meta/api-object.ts";
export { type Logger, type LogFields, silentLogger } from "./ports/logger.ts";
export {
  type Counter,
  type Gauge,
  type Histogram,
  type Labels,
  type MetricDefinition,
  type Metrics,
  silentMetrics,
} from "./ports/metrics.ts";
export { nodesMax } from "./nodes-max.ts";
export { type ProfileName, profileNames, profiles, type TimerProfile } from "./profiles.ts";
export { apiVersionOf, formatKey, keyOf, type ObjectKey, parseKey, type ResourceType } from "./meta/resource-type.ts";
export {
  binding,
  bindings,
  certificateSigningRequests,
  clusterRoleBindings,
  clusterRoles,
  configMaps,
  deployments,
  endpoints,
  endpointSlices,
  events,
  eventsV1,
  eviction,
  leases,
  localSubjectAccessReviews,
  namespaces,
  nodeMetrics,
  nodes,
  podMetrics,
  podDisruptionBudgets,
  pods,
  priorityClasses,
  replicaSets,
  resourceTypes,
  roleBindings,
  roles,
  scale,
  secrets,
  selfSubjectAccessReviews,
  selfSubjectReviews,
  selfSubjectRulesReviews,
  serviceAccounts,
  services,
  subjectAccessReviews,
  tokenReviews,
  type SubresourceType,
  tokenRequest,
  transientResourceTypes,
} from "./resources.ts";
export {
  describeObject,
  describeSchema,
  type FieldDescription,
  type ListDescription,
  type MapDescription,
  type ObjectDescription,
  type ScalarDescription,
  type ScalarFormat,
  type TypeDescription,
} from "./schema/describe-schema.ts";
export { cannotBeHandled, parseObject } from "./parsing/parse-object.ts";
export { findUnknownFields } from "./parsing/unknown-fields.ts";
export { withoutNulls } from "./parsing/without-nulls.ts";
export {
  type EventEntry,
  type JournalEntry,
  mergeTimeline,
  type TimelineLine,
  type TimelineSource,
} from "./timeline/merge-timeline.ts";
export { collectFaults, type FaultReason, type ValidationIssue } from "./validation/faults.ts";
export { shortened, shownValue } from "./errors/shown.ts";
export { addressFamily, checkAddress, checkCidr, cidrFamily, parseIPv4 } from "./values/ip-address.ts";
export { nameCheckOf } from "./validation/kind-rules.ts";
export { validateBinding, validatePodTemplate } from "./validation/pod/pod.ts";
export {
  validateDeleteOptions,
  validateLocalSubjectAccessReview,
  validateSelfSubjectAccessReview,
  validateSubjectAccessReview,
  validateTokenRequest,
} from "./validation/reviews.ts";
export { asRefusal, type Change, validateCreate, validateUpdate } from "./validation/validate.ts";
export { validateScale } from "./validation/workloads.ts";
export type {
  ChangeEnvelope,
  ChangeFilter,
  ChangeHandlers,
  ChangeMark,
  ChangeStream,
  ParseChanged,
} from "./watch/change-stream.ts";
