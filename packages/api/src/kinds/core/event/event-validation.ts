import type { Event } from "./event.ts";
import type { EventsV1Event } from "../../events/event/events-v1-event.ts";
import { checkQualifiedName } from "../../../values/names.ts";
import { sameJson } from "../../../values/json.ts";
import type { Faults } from "../../../validation/faults.ts";
import { utf8Length } from "../../../validation/labels.ts";

/**
 * Upstream has these limits on events.k8s.io/v1, but not on core/v1, because older events were not
 * limited.
 */
const wordBytesMax = 128;
const noteBytesMax = 1024;

export function validateEvent(event: Event, faults: Faults): void {
  validateRegardingNamespace(event.involvedObject.namespace, { event, field: "involvedObject.namespace" }, faults);
  if (event.eventTime === undefined) return;
  // An event with eventTime is of the newer kind and must name its reporter.
  if ((event.reportingComponent ?? "") === "") faults.required("reportingComponent");
  else
    faults.invalidEach(
      "reportingComponent",
      event.reportingComponent,
      checkQualifiedName(event.reportingComponent ?? ""),
    );
  validateReporter(event, faults);
}

export function validateEventsV1Event(event: EventsV1Event, faults: Faults): void {
  validateRegardingNamespace(event.regarding?.namespace, { event, field: "regarding.namespace" }, faults);
  if (event.eventTime === undefined) faults.required("eventTime");
  if (event.type !== "Normal" && event.type !== "Warning")
    faults.invalid("type", event.type ?? "", `has invalid value: ${event.type ?? ""}`);
  if ((event.reportingController ?? "") === "") faults.required("reportingController");
  else
    faults.invalidEach(
      "reportingController",
      event.reportingController,
      checkQualifiedName(event.reportingController ?? ""),
    );
  validateReporter(event, faults);
  if (utf8Length(event.note ?? "") > noteBytesMax) {
    faults.invalid("note", event.note, `can have at most ${noteBytesMax} bytes`);
  }
}

/** Only the series of an event may change. */
export function validateEventsV1Update(after: EventsV1Event, before: EventsV1Event, faults: Faults): void {
  const fields = [
    "regarding",
    "reason",
    "note",
    "type",
    "eventTime",
    "action",
    "related",
    "reportingController",
    "reportingInstance",
    "deprecatedCount",
    "deprecatedSource",
    "deprecatedFirstTimestamp",
    "deprecatedLastTimestamp",
  ] as const;
  for (const field of fields) faults.immutable(field, after[field], sameJson(after[field], before[field]));
}

function validateReporter(
  event: { reportingInstance?: string | undefined; action?: string | undefined; reason?: string | undefined },
  faults: Faults,
): void {
  for (const field of ["reportingInstance", "action", "reason"] as const) {
    const value = event[field] ?? "";
    if (value === "") faults.required(field);
    else if (utf8Length(value) > wordBytesMax)
      faults.invalid(field, value, `can have at most ${wordBytesMax} characters`);
  }
}

/**
 * An event is in the namespace of its object; events of cluster-scoped objects are in `default` or
 * `kube-system`.
 */
function validateRegardingNamespace(
  namespace: string | undefined,
  { event, field }: { event: Event | EventsV1Event; field: string },
  faults: Faults,
): void {
  const own = event.metadata.namespace ?? "";
  if ((namespace ?? "") === "") {
    if (own !== "" && own !== "default" && own !== "kube-system") {
      faults.invalid(field, namespace ?? "", "does not match event.namespace");
    }
  } else if (namespace !== own) faults.invalid(field, namespace, "does not match event.namespace");
}
