import { defineKind } from "../../define-kind.ts";
import { eventTable } from "./event-table.ts";
import { events } from "./event-type.ts";
import { validateEvent } from "./event-validation.ts";
import { Event } from "./event.ts";

export const eventKind = defineKind<Event>({
  type: events,
  schema: Event,
  validation: { validate: validateEvent },
  strategy: {
    createOnUpdate: true,
    expiresAtMs: (_event, { nowMs, options }) => nowMs + options.eventTtlMs,
  },
  selectable: {
    "involvedObject.kind": (event) => event.involvedObject.kind,
    "involvedObject.namespace": (event) => event.involvedObject.namespace,
    "involvedObject.name": (event) => event.involvedObject.name,
    "involvedObject.uid": (event) => event.involvedObject.uid,
    "involvedObject.apiVersion": (event) => event.involvedObject.apiVersion,
    "involvedObject.resourceVersion": (event) => event.involvedObject.resourceVersion,
    "involvedObject.fieldPath": (event) => event.involvedObject.fieldPath,
    reason: (event) => event.reason,
    reportingComponent: (event) => event.reportingComponent,
    source: (event) => event.source?.component || event.reportingComponent,
    type: (event) => event.type,
  },
  table: eventTable,
  exceptions: { isReport: true },
});
