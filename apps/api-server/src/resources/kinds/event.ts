import { apiVersionOf, Event, events, EventsV1Event, eventsV1, withoutUndefined } from "@kintsugi/api";
import type { KubeObject, KindRules } from "../resource.ts";
import { defineResource } from "../resource.ts";

const rules: KindRules<Event> = {
  createOnUpdate: true,
  expiresAtMs: (_event, { nowMs, options }) => nowMs + options.eventTtlMs,
  selectableFields: {
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
};

export const eventResource = defineResource<Event>({ type: events, schema: Event, rules });

/** The same stored objects as core/v1 events, under their newer names. */
export const eventsV1Resource = defineResource<EventsV1Event>({
  type: eventsV1,
  schema: EventsV1Event,
  rules: {},
  view: { of: eventResource, selectableFields: storedFields(), toStored, fromStored },
});

/** The same names as AddFieldLabelConversionsForEvent of pkg/apis/events/v1. */
function storedFields(): Record<string, string> {
  const ofObject = ["kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"];
  return {
    reason: "reason",
    reportingController: "reportingComponent",
    type: "type",
    ...Object.fromEntries(ofObject.map((field) => [`regarding.${field}`, `involvedObject.${field}`])),
  };
}

function toStored(event: EventsV1Event): KubeObject {
  const stored: Event = {
    apiVersion: apiVersionOf(events),
    kind: events.kind,
    metadata: event.metadata,
    involvedObject: event.regarding ?? {},
    reason: event.reason,
    message: event.note,
    source: event.deprecatedSource,
    firstTimestamp: event.deprecatedFirstTimestamp,
    lastTimestamp: event.deprecatedLastTimestamp,
    count: event.deprecatedCount,
    type: event.type,
    eventTime: event.eventTime,
    series: event.series,
    action: event.action,
    related: event.related,
    reportingComponent: event.reportingController,
    reportingInstance: event.reportingInstance,
  };
  return withoutUndefined(stored);
}

function fromStored(object: KubeObject): EventsV1Event {
  const stored = object as unknown as Event;
  const event: EventsV1Event = {
    apiVersion: apiVersionOf(eventsV1),
    kind: eventsV1.kind,
    metadata: stored.metadata,
    eventTime: stored.eventTime,
    series:
      stored.series === undefined
        ? undefined
        : { count: stored.series.count ?? 0, lastObservedTime: stored.series.lastObservedTime },
    reportingController: stored.reportingComponent,
    reportingInstance: stored.reportingInstance,
    action: stored.action,
    reason: stored.reason,
    regarding: stored.involvedObject,
    related: stored.related,
    note: stored.message,
    type: stored.type,
    deprecatedSource: stored.source,
    deprecatedFirstTimestamp: stored.firstTimestamp,
    deprecatedLastTimestamp: stored.lastTimestamp,
    deprecatedCount: stored.count,
  };
  return withoutUndefined(event);
}
