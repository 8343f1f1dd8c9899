import type { z } from "zod";
import { ObjectMeta } from "../../meta/object-meta.ts";
import { always, field, kind, object, required, requiredNullable } from "../../schema/fields.ts";
import { int32, microTime, text, time } from "../../schema/types.ts";
import { EventSource } from "../core/event.ts";
import { ObjectReference } from "../core/references.ts";

export const EventsV1EventSeries = object("io.k8s.api.events.v1.EventSeries", {
  count: required(1, int32),
  lastObservedTime: requiredNullable(2, microTime),
});
export type EventsV1EventSeries = z.infer<typeof EventsV1EventSeries>;

export const EventsV1Event = kind("io.k8s.api.events.v1.Event", {
  metadata: always(1, ObjectMeta),
  eventTime: requiredNullable(2, microTime),
  series: field(3, EventsV1EventSeries),
  reportingController: field(4, text),
  reportingInstance: field(5, text),
  action: field(6, text),
  reason: field(7, text),
  regarding: field(8, ObjectReference),
  related: field(9, ObjectReference),
  note: field(10, text),
  type: field(11, text),
  deprecatedSource: field(12, EventSource),
  deprecatedFirstTimestamp: field(13, time),
  deprecatedLastTimestamp: field(14, time),
  deprecatedCount: field(15, int32),
});
export type EventsV1Event = z.infer<typeof EventsV1Event>;
