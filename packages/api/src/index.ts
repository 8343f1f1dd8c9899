export {
  ApiError,
  type ApiErrorOptions,
  isApiError,
  type StatusCause,
  statusCodeByReason,
  type StatusDetails,
  type StatusReason,
} from "./errors/api-error.ts";
export { type ApiObject, ObjectMeta } from "./meta/object-meta.ts";
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
export { type ProfileName, profiles, type TimerProfile } from "./profiles.ts";
export { apiVersionOf, formatKey, type ObjectKey, parseKey, type ResourceType } from "./resource-type.ts";
export type { ChangeEnvelope, ChangeFilter, ChangeHandlers, ChangeMark, ChangeStream } from "./watch/change-stream.ts";
