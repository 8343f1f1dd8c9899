import type { z } from "zod";
import { ObjectMeta } from "../../meta/object-meta.ts";
import { field, kind, object, required } from "../../schema/fields.ts";
import { int32, microTime, text, time } from "../../schema/types.ts";
import { ObjectReference } from "./references.ts";

export const EventSeries = object("io.k8s.api.core.v1.EventSeries", {
  count: field(1, int32),
  lastObservedTime: field(2, microTime),
});
export type EventSeries = z.infer<typeof EventSeries>;

export const EventSource = object("io.k8s.api.core.v1.EventSource", {
  component: field(1, text),
  host: field(2, text),
});
export type EventSource = z.infer<typeof EventSource>;

export const Event = kind("io.k8s.api.core.v1.Event", {
  metadata: required(1, ObjectMeta),
  involvedObject: required(2, ObjectReference),
  reason: field(3, text),
  message: field(4, text),
  source: field(5, EventSource),
  firstTimestamp: field(6, time),
  lastTimestamp: field(7, time),
  count: field(8, int32),
  type: field(9, text),
  eventTime: field(10, microTime),
  series: field(11, EventSeries),
  action: field(12, text),
  related: field(13, ObjectReference),
  reportingComponent: field(14, text),
  reportingInstance: field(15, text),
});
export type Event = z.infer<typeof Event>;
