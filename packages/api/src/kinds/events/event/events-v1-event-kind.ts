import { withoutUndefined } from "../../../values/without-undefined.ts";
import type { ApiObject } from "../../../meta/api-object.ts";
import { apiVersionOf } from "../../../meta/resource-type.ts";
import { eventsV1Table } from "../../core/event/event-table.ts";
import { events } from "../../core/event/event-type.ts";
import { validateEventsV1Event, validateEventsV1Update } from "../../core/event/event-validation.ts";
import type { Event } from "../../core/event/event.ts";
import { defineKind } from "../../define-kind.ts";
import { eventsV1 } from "./events-v1-event-type.ts";
import { EventsV1Event } from "./events-v1-event.ts";

/** The same stored objects as core/v1 events, with their newer field names. */
export const eventsV1EventKind = defineKind<EventsV1Event>({
  type: eventsV1,
  schema: EventsV1Event,
  validation: { validate: validateEventsV1Event, update: validateEventsV1Update },
  table: eventsV1Table,
  view: { of: events, toStored, fromStored, storedField },
});

/** The same names as AddFieldLabelConversionsForEvent of pkg/apis/events/v1. */
function storedField(field: string): string | undefined {
  if (field === "reason" || field === "type") return field;
  if (field === "reportingController") return "reportingComponent";
  return field.startsWith("regarding.") ? field.replace("regarding.", "involvedObject.") : undefined;
}

function toStored(event: EventsV1Event): Event {
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

function fromStored(object: ApiObject): EventsV1Event {
  const stored = object as Event;
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
