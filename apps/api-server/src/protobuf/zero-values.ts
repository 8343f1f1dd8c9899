import type { FieldDescription, JsonValue } from "@kintsugi/api";

/**
 * Go writes a plain field to protobuf even when it is empty, while its JSON omits it; a pointer's
 * value is set even when it is zero (`replicas: 0`). The wire format does not distinguish the two,
 * so the plain fields are listed here. Texts are not listed, because an empty string means an unset
 * field in every served kind, except where the schema states the opposite.
 */
const plainNumbers: ReadonlySet<string> = new Set([
  "availableReplicas",
  "code",
  "count",
  "deprecatedCount",
  "failureThreshold",
  "fullyLabeledReplicas",
  "generation",
  "healthCheckNodePort",
  "hostPort",
  "initialDelaySeconds",
  "minReadySeconds",
  "nodePort",
  "observedGeneration",
  "partition",
  "periodSeconds",
  "readyReplicas",
  "retryAfterSeconds",
  "signal",
  "sizeBytes",
  "successThreshold",
  "timeoutSeconds",
]);
const plainBooleans: ReadonlySet<string> = new Set([
  "chapAuthDiscovery",
  "chapAuthSession",
  "denied",
  "deprecated",
  "exclusiveMaximum",
  "exclusiveMinimum",
  "hostIPC",
  "hostNetwork",
  "hostPID",
  "nullable",
  "preserveUnknownFields",
  "publishNotReadyAddresses",
  "readOnly",
  "sslEnabled",
  "stdin",
  "stdinOnce",
  "tty",
  "uniqueItems",
  "unschedulable",
  "x-kubernetes-embedded-resource",
  "x-kubernetes-int-or-string",
]);

/** Reports whether a value on the wire represents a field that was not set. */
export function isUnset(field: FieldDescription, value: JsonValue): boolean {
  if (field.required || ("zeroCounts" in field.type && field.type.zeroCounts === true)) {
    return false;
  }
  // A JSON value is a pointer in Go, so an empty default counts as a default.
  if (field.type.type === "any") return false;
  return (
    value === "" || (value === 0 && plainNumbers.has(field.name)) || (value === false && plainBooleans.has(field.name))
  );
}
