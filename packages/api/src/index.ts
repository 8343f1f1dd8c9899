export { pullPolicyFor } from "./kinds/core/pod/defaults/container-defaults.ts";
export { setPodDefaults, setPodSpecDefaults } from "./kinds/core/pod/defaults/pod-defaults.ts";
export { needsHealthCheckPort, setServiceDefaults } from "./kinds/core/service/service-defaults.ts";
export {
  ApiError,
  type ApiErrorOptions,
  isApiError,
  statusCodeByReason,
  type StatusReason,
} from "./errors/api-error.ts";
export * from "./kinds/apiextensions/custom-resource-definition/custom-resource-definition.ts";
export { approvalOf, isProtectedGroup } from "./kinds/apiextensions/custom-resource-definition/validation/approval.ts";
export {
  customResourceDefinitionKind,
  definitionFinalizer,
} from "./kinds/apiextensions/custom-resource-definition/custom-resource-definition-kind.ts";
export type { JsonSchema, ValidationRule } from "./kinds/apiextensions/custom-resource-definition/json-schema-props.ts";
export { customResourceDefinitions } from "./kinds/apiextensions/custom-resource-definition/custom-resource-definition-type.ts";
export { snapshotDefinitions } from "./snapshots/snapshot-definitions.ts";
export * from "./snapshots/volume-snapshot.ts";
export type { StoredForm } from "./kinds/define-kind.ts";
export type { KindValidation } from "./validation/kind-validation.ts";
export * from "./kinds/apps/apps-group.ts";
export { rebalanceAnnotation, rebalanceRecordAnnotation } from "./kinds/apps/rebalance-annotations.ts";
export * from "./kinds/autoscaling/horizontal-pod-autoscaler/horizontal-pod-autoscaler.ts";
export * from "./kinds/autoscaling/horizontal-pod-autoscaler/scaling-metrics.ts";
export * from "./kinds/autoscaling/scale/scale.ts";
export * from "./kinds/batch/batch-group.ts";
export * from "./kinds/certificates/certificate-signing-request/certificate-signing-request.ts";
export * from "./kinds/coordination/lease/lease.ts";
export * from "./kinds/core/binding/binding.ts";
export * from "./kinds/core/secret/bootstrap-token.ts";
export * from "./kinds/core/config-map/config-map.ts";
export * from "./kinds/core/endpoints/endpoints.ts";
export * from "./kinds/core/event/event.ts";
export * from "./kinds/core/namespace/namespace.ts";
export * from "./kinds/core/namespace-limits.ts";
export * from "./kinds/core/persistent-storage.ts";
export * from "./kinds/core/references.ts";
export * from "./kinds/core/replication-controller/replication-controller.ts";
export * from "./kinds/core/pod-template/pod-template.ts";
export * from "./kinds/core/secret/secret.ts";
export * from "./kinds/core/service/service.ts";
export * from "./kinds/core/service-account/service-account.ts";
export * from "./kinds/discovery/endpoint-slice/endpoint-slice.ts";
export * from "./kinds/events/event/events-v1-event.ts";
export * from "./kinds/metrics/usage/usage.ts";
export { nodeLifecycleConditions } from "./kinds/core/node/lifecycle-conditions.ts";
export * from "./kinds/core/node/node.ts";
export * from "./kinds/core/node/node-spec.ts";
export * from "./kinds/core/node/node-status.ts";
export * from "./kinds/core/pod/spec/affinity.ts";
export * from "./kinds/core/pod/spec/container.ts";
export * from "./kinds/core/pod/status/container-status.ts";
export * from "./kinds/core/pod/spec/env.ts";
export * from "./kinds/core/pod/pod.ts";
export * from "./kinds/core/pod/spec/pod-spec.ts";
export * from "./kinds/core/pod/status/pod-status.ts";
export * from "./kinds/core/pod/spec/pod-template.ts";
export * from "./kinds/core/pod/spec/probe.ts";
export * from "./kinds/core/pod/spec/resources.ts";
export * from "./kinds/core/pod/spec/scheduling.ts";
export * from "./kinds/core/pod/spec/security-context.ts";
export * from "./kinds/core/pod/pod-volumes.ts";
export * from "./kinds/policy/policy-group.ts";
export * from "./kinds/resource/resource-group.ts";
export * from "./kinds/rbac/role/role.ts";
export * from "./kinds/rbac/role-binding/role-binding.ts";
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
export {
  findUntoleratedTaint,
  noExecuteTaints,
  sameTaint,
  tolerates,
  tolerationSeconds,
} from "./kinds/core/node/taints.ts";
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
} from "./kinds/core/pod/rules/pod-resources.ts";
export {
  PriorityClass,
  systemCriticalPriority,
  systemPriorityClasses,
} from "./kinds/scheduling/priority-class/priority-class.ts";
export type { ExpressionSet } from "./kinds/expression-set.ts";
export { nodeIsWanted, nodeRequirementHolds, nodeTermMatches } from "./kinds/core/pod/rules/node-selection.ts";
export { type PodReferences, referencesOf } from "./kinds/core/pod/rules/pod-references.ts";
export { configAnnotations, isMirrorPod } from "./kinds/core/pod/rules/static-pod.ts";
export {
  type DisruptionReason,
  disruptionTarget,
  isDisruptedBy,
  observedGeneration,
  withDisruptionTarget,
} from "./kinds/core/pod/rules/disruption.ts";
export {
  isPodActive,
  isPodAvailable,
  isPodBound,
  isPodReady,
  isPodTerminal,
  isPodTerminating,
} from "./kinds/core/pod/rules/pod-state.ts";
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
export { canonicalJson, type JsonObject, type JsonValue, sameJson, sameJsonExcept } from "./values/json.ts";
export { oncePer } from "./values/once-per.ts";
export type { LabelSelector } from "./meta/label-selector-type.ts";
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
} from "./kinds/core/pod/rules/pod-restart.ts";
export { readTerminations, type Termination, terminationsAnnotation } from "./kinds/core/pod/rules/pod-terminations.ts";
export { type ContainerEnd, containerStories, type ContainerStory } from "./timeline/container-stories.ts";
export {
  avoidedNodes,
  avoidedNodesMax,
  avoidNodesAnnotation,
  parsePodEscalation,
  type PodEscalation,
  podEscalationAnnotation,
  replacementNeededCondition,
} from "./kinds/core/pod/rules/pod-escalation.ts";
export { parsePodFence, podFenceAnnotation, selfFencedCondition } from "./kinds/core/pod/rules/pod-fence.ts";
export { formatDuration, parseDurationMs } from "./values/duration.ts";
export { isExtendedResource, isNativeResource } from "./values/resource-names.ts";
export { clockSkew } from "./values/clock-skew.ts";
export { compareText } from "./values/text/compare-text.ts";
export { countedNoun } from "./values/text/counted-noun.ts";
export { textTable } from "./values/text/text-table.ts";
export { withoutUndefined } from "./values/without-undefined.ts";
export * from "./values/ipv4-range.ts";
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
export * from "./features/index.ts";
export { hollowLabel, hollowNodesMax, nodesMax, simulatedNodesMax } from "./nodes-max.ts";
export { type ProfileName, profileNames, profiles, type TimerProfile } from "./profiles.ts";
export {
  apiVersionOf,
  formatKey,
  keyOf,
  type ObjectKey,
  parseKey,
  type ResourceType,
  type SubresourceType,
} from "./meta/resource-type.ts";
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
export * from "./parsing/json-budget.ts";
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
export { type ObservedChange, planLeaseEntries, planNodeEntries, planPodEntries } from "./timeline/plan-entries.ts";
export type { TimelineEntry } from "./timeline/timeline-entry.ts";
export { collectFaults, type FaultReason, Faults, type ValidationIssue } from "./validation/faults.ts";
export * from "./validation/object-meta.ts";
export { shortened, shownValue } from "./errors/shown.ts";
export { AddressGuard, type OwnedAddresses } from "./values/addresses/address-guard.ts";
export { addressFamily, checkAddress, checkCidr, checkNotSpecial, cidrFamily, parseIPv4 } from "./values/ip-address.ts";
export { validateBinding, validatePodTemplate } from "./kinds/core/pod/validation/pod.ts";
export { asRefusal, type Change, validateCreate, validateUpdate } from "./validation/validate.ts";
export type {
  ChangeEnvelope,
  ChangeFilter,
  ChangeHandlers,
  ChangeMark,
  ChangeStream,
  ParseChanged,
} from "./watch/change-stream.ts";
export { builtInKinds } from "./kinds/built-in-kinds.ts";
export { completeStatus, hasZeroStatus } from "./kinds/zero-status.ts";
export {
  applyDefaults,
  defineKind,
  type IndexedPlace,
  type Kind,
  type KindDefinition,
  type KindVerb,
  kindVerbs,
  type KindView,
  type ObjectSchema,
  type ScaleAccess,
} from "./kinds/define-kind.ts";
export type {
  FieldPaths,
  KindOptions,
  PrepareContext,
  ExpressionPreparation,
  ServiceAllocation,
} from "./kinds/kind-strategy.ts";
export * from "./kinds/scheduling/priority-class/priority-class-kind.ts";
export * from "./kinds/discovery/endpoint-slice/endpoint-slice-kind.ts";
export * from "./kinds/metrics/usage/usage-kinds.ts";
export * from "./kinds/policy/pod-disruption-budget/pod-disruption-budget-kind.ts";
export * from "./kinds/events/event/events-v1-event-kind.ts";
export * from "./kinds/rbac/role-binding/role-binding-kinds.ts";
export * from "./kinds/rbac/role/role-kinds.ts";
export * from "./kinds/autoscaling/horizontal-pod-autoscaler/horizontal-pod-autoscaler-kind.ts";
export * from "./kinds/autoscaling/horizontal-pod-autoscaler-v1/horizontal-pod-autoscaler-v1-kind.ts";
export * from "./kinds/core/node/node-kind.ts";
export * from "./kinds/core/binding/binding-kind.ts";
export * from "./kinds/core/config-map/config-map-kind.ts";
export * from "./kinds/core/event/event-kind.ts";
export * from "./kinds/core/replication-controller/replication-controller-kind.ts";
export * from "./kinds/core/pod-template/pod-template-kind.ts";
export * from "./kinds/core/secret/secret-kind.ts";
export * from "./kinds/core/namespace/namespace-kind.ts";
export * from "./kinds/core/pod/pod-kind.ts";
export * from "./kinds/core/service/service-kind.ts";
export * from "./kinds/core/service-account/service-account-kind.ts";
export * from "./kinds/core/endpoints/endpoints-kind.ts";
export * from "./kinds/autoscaling/horizontal-pod-autoscaler/horizontal-pod-autoscaler-type.ts";
export * from "./kinds/autoscaling/horizontal-pod-autoscaler-v1/horizontal-pod-autoscaler-v1-type.ts";
export * from "./kinds/autoscaling/scale/scale-type.ts";
export * from "./kinds/certificates/certificates-group.ts";
export * from "./kinds/coordination/coordination-group.ts";
export * from "./kinds/core/binding/binding-type.ts";
export * from "./kinds/core/config-map/config-map-type.ts";
export * from "./kinds/core/endpoints/endpoints-type.ts";
export * from "./kinds/core/event/event-type.ts";
export * from "./kinds/core/namespace/namespace-type.ts";
export * from "./kinds/core/node/node-type.ts";
export * from "./kinds/core/pod/pod-type.ts";
export * from "./kinds/core/replication-controller/replication-controller-type.ts";
export * from "./kinds/core/pod-template/pod-template-type.ts";
export * from "./kinds/core/secret/secret-type.ts";
export * from "./kinds/core/service-account/service-account-type.ts";
export * from "./kinds/core/service/service-type.ts";
export * from "./kinds/discovery/endpoint-slice/endpoint-slice-type.ts";
export * from "./kinds/events/event/events-v1-event-type.ts";
export * from "./kinds/metrics/usage/usage-types.ts";
export * from "./kinds/policy/eviction/eviction-type.ts";
export * from "./kinds/policy/pod-disruption-budget/pod-disruption-budget-type.ts";
export * from "./kinds/rbac/role-binding/role-binding-types.ts";
export * from "./kinds/rbac/role/role-types.ts";
export { eventsPolicyRule, namedPolicyRule, policyRule } from "./kinds/rbac/write-rule.ts";
export * from "./kinds/scheduling/priority-class/priority-class-type.ts";
export { validateScale } from "./kinds/autoscaling/scale/scale-validation.ts";
export { validateDeleteOptions } from "./validation/delete-options.ts";
export { formatSince, instantOf } from "./table/cells.ts";
export { type Cell, type Column, defaultTable, type KindTable } from "./table/columns.ts";
export { formatHumanDuration } from "./table/human-duration.ts";
/** The words of which schemas are made, for kinds that are not compiled in. */
export * as schemaFields from "./schema/fields.ts";
export * as schemaTypes from "./schema/types.ts";
export * from "./kinds/admissionregistration/admissionregistration.ts";
export * from "./kinds/apiregistration/apiregistration.ts";
export * from "./kinds/flowcontrol/flowcontrol.ts";
export * from "./kinds/networking/networking.ts";
export * from "./kinds/storage/storage.ts";
export * from "./kinds/node/node-kinds.ts";
export * from "./kinds/core/component-status/component-statuses.ts";
export * from "./kinds/authentication/authentication.ts";
export * from "./kinds/authorization/authorization.ts";
