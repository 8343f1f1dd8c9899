// The package's only entry point, in the order of its folders. Each API group exports its kinds in
// one file, kinds/<group>/<group>-group.ts; other files of a group are not exported.

export * from "./features/index.ts";

export { AddressGuard, type OwnedAddresses } from "./values/addresses/address-guard.ts";
export { base64Length, encodeBase64 } from "./values/base64.ts";
export { clockSkew } from "./values/clock-skew.ts";
export { formatDuration, lengthInWords, parseDurationMs } from "./values/duration.ts";
export { fnv1a32 } from "./values/fnv.ts";
export { scaledCount } from "./values/int-or-percent.ts";
export { addressFamily, checkAddress, checkCidr, checkNotSpecial, cidrFamily, parseIPv4 } from "./values/ip-address.ts";
export * from "./values/ipv4-range.ts";
export { canonicalJson, type JsonObject, type JsonValue, sameJson, sameJsonExcept } from "./values/json.ts";
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
export { oncePer } from "./values/once-per.ts";
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
export { isExtendedResource, isNativeResource } from "./values/resource-names.ts";
export { compareText } from "./values/text/compare-text.ts";
export { escapeMarkup } from "./values/text/escape-markup.ts";
export { countedNoun } from "./values/text/counted-noun.ts";
export { textTable } from "./values/text/text-table.ts";
export {
  canonicalMicroTime,
  canonicalTimestamp,
  formatMicroTime,
  formatTimestamp,
  isTimestamp,
  parseTimestamp,
} from "./values/timestamp.ts";
export { withoutUndefined } from "./values/without-undefined.ts";

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
/** The building blocks of schemas, for kinds that are not compiled in. */
export * as schemaFields from "./schema/fields.ts";
export * as schemaTypes from "./schema/types.ts";

export type { ApiList, ApiObject } from "./meta/api-object.ts";
export * from "./meta/condition-type.ts";
export {
  type ConditionLike,
  findCondition,
  isConditionTrue,
  withCondition,
  withoutCondition,
} from "./meta/conditions.ts";
export * from "./meta/delete-options.ts";
export {
  type FieldRequirement,
  type FieldSelector,
  formatFieldSelector,
  matchesFields,
  parseFieldSelector,
  requiredField,
} from "./meta/field-selector.ts";
export { parseLabelSelector, SelectorError } from "./meta/label-selector-parser.ts";
export * from "./meta/label-selector-type.ts";
export {
  formatSelector,
  type LabelOperator,
  type LabelRequirement,
  mapSelector,
  matchesLabels,
  requiredValue,
  type Selector,
  selectsEverything,
  selectsNothing,
  toSelector,
} from "./meta/label-selector.ts";
export * from "./meta/list-meta.ts";
export * from "./meta/object-meta.ts";
export { controllerOf, controllerReference, isControlledBy } from "./meta/owner-references.ts";
export {
  apiVersionOf,
  formatKey,
  keyOf,
  type ObjectKey,
  parseKey,
  type ResourceType,
  type SubresourceType,
} from "./meta/resource-type.ts";
export * from "./meta/status.ts";
export * from "./meta/well-known-labels.ts";

export {
  ApiError,
  type ApiErrorOptions,
  isApiError,
  statusCodeByReason,
  type StatusReason,
} from "./errors/api-error.ts";
export { messageOf } from "./errors/message-of.ts";
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
export { shortened, shownValue } from "./errors/shown.ts";
export { fromStatus, toStatus } from "./errors/status-conversion.ts";

export * from "./parsing/json-budget.ts";
export { cannotBeHandled, parseObject } from "./parsing/parse-object.ts";
export { findUnknownFields } from "./parsing/unknown-fields.ts";
export { withoutNulls } from "./parsing/without-nulls.ts";

export { formatSince, instantOf } from "./table/cells.ts";
export { type Cell, type Column, defaultTable, type KindTable } from "./table/columns.ts";
export { formatHumanDuration } from "./table/human-duration.ts";

export { validateDeleteOptions } from "./validation/delete-options.ts";
export { collectFaults, type FaultReason, Faults, type ValidationIssue } from "./validation/faults.ts";
export type { KindValidation } from "./validation/kind-validation.ts";
export * from "./validation/object-meta.ts";
export { asRefusal, type Change, validateCreate, validateUpdate } from "./validation/validate.ts";

export { builtInKinds } from "./kinds/built-in-kinds.ts";
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
  type StoredForm,
} from "./kinds/define-kind.ts";
export type { ExpressionSet } from "./kinds/expression-set.ts";
export type {
  ExpressionPreparation,
  FieldPaths,
  KindOptions,
  PrepareContext,
  ServiceAllocation,
} from "./kinds/kind-strategy.ts";
export { completeStatus, hasZeroStatus } from "./kinds/zero-status.ts";
export * from "./kinds/admissionregistration/admissionregistration-group.ts";
export * from "./kinds/apiextensions/apiextensions-group.ts";
export * from "./kinds/apiregistration/apiregistration-group.ts";
export * from "./kinds/apps/apps-group.ts";
export * from "./kinds/authentication/authentication-group.ts";
export * from "./kinds/authorization/authorization-group.ts";
export * from "./kinds/autoscaling/autoscaling-group.ts";
export * from "./kinds/batch/batch-group.ts";
export * from "./kinds/certificates/certificates-group.ts";
export * from "./kinds/coordination/coordination-group.ts";
export * from "./kinds/core/core-group.ts";
export * from "./kinds/discovery/discovery-group.ts";
export * from "./kinds/events/events-group.ts";
export * from "./kinds/flowcontrol/flowcontrol-group.ts";
export * from "./kinds/metrics/metrics-group.ts";
export * from "./kinds/networking/networking-group.ts";
export * from "./kinds/node/node-group.ts";
export * from "./kinds/policy/policy-group.ts";
export * from "./kinds/rbac/rbac-group.ts";
export * from "./kinds/resource/resource-group.ts";
export * from "./kinds/scheduling/scheduling-group.ts";
export * from "./kinds/storage/storage-group.ts";

export { snapshotDefinitions } from "./snapshots/snapshot-definitions.ts";
export * from "./snapshots/volume-snapshot.ts";

export { type LogFields, type Logger, silentLogger } from "./ports/logger.ts";
export {
  type Counter,
  type Gauge,
  type Histogram,
  type Labels,
  type MetricDefinition,
  type Metrics,
  silentMetrics,
} from "./ports/metrics.ts";

export type {
  ChangeEnvelope,
  ChangeFilter,
  ChangeHandlers,
  ChangeMark,
  ChangeStream,
  ParseChanged,
} from "./watch/change-stream.ts";

export { type ContainerEnd, containerStories, type ContainerStory } from "./timeline/container-stories.ts";
export {
  type EventEntry,
  type JournalEntry,
  mergeTimeline,
  type TimelineLine,
  type TimelineSource,
} from "./timeline/merge-timeline.ts";
export { type ObservedChange, planLeaseEntries, planNodeEntries, planPodEntries } from "./timeline/plan-entries.ts";
export type { TimelineEntry } from "./timeline/timeline-entry.ts";

export { hollowLabel, hollowNodesMax, nodesMax, simulatedNodesMax } from "./nodes-max.ts";
export { collectionPath, groupVersionPath, objectPath, parseObjectPath, type ResourcePath } from "./paths.ts";
export { clusterOfContextName, contextName } from "./context-name.ts";
export { type ProfileName, profileNames, profiles, type TimerProfile } from "./profiles.ts";
