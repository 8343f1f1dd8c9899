import type { FieldDescription } from "@kintsugi/api";
import type { JsonValue } from "../json.ts";

/**
 * Go writes a plain field to protobuf even when it holds nothing, while its JSON leaves it out; a
 * pointer's value is meant even when it is zero (`replicas: 0`). The wire does not distinguish the
 * two, so the plain ones are listed here. Texts need no list: an empty one means nothing in any
 * kind served, except where the schema states that it does.
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
  // JSON that stands by itself is a pointer: an empty default is a default.
  if (field.type.type === "any") return false;
  return (
    value === "" || (value === 0 && plainNumbers.has(field.name)) || (value === false && plainBooleans.has(field.name))
  );
}
