import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { field, kind, object, required } from "../../../schema/fields.ts";
import { int32, microTime, text, time } from "../../../schema/types.ts";
import { ObjectReference } from "../references.ts";

export const EventSeries = object(
  "io.k8s.api.core.v1.EventSeries",
  "How often an event has come again, and when last.",
  () => ({
    count: field(1, int32, "How often it has come so far."),
    lastObservedTime: field(2, microTime, "When it came last."),
  }),
);
export type EventSeries = z.infer<typeof EventSeries>;

export const EventSource = object(
  "io.k8s.api.core.v1.EventSource",
  "Who reported an event, and from which node.",
  () => ({
    component: field(1, text, "Who reports."),
    host: field(2, text, "From which node."),
  }),
);
export type EventSource = z.infer<typeof EventSource>;

export const Event = kind(
  "io.k8s.api.core.v1.Event",
  "Something that happened to an object. Events are kept for an hour or so.",
  () => ({
    metadata: required(1, ObjectMeta, "Name and namespace of the event."),
    involvedObject: required(2, ObjectReference, "What it happened to."),
    reason: field(3, text, "What happened, in one word."),
    message: field(4, text, "What happened, in a sentence."),
    source: field(5, EventSource, "Who reported it."),
    firstTimestamp: field(6, time, "When it happened first."),
    lastTimestamp: field(7, time, "When it happened last."),
    count: field(8, int32, "How often it happened."),
    type: field(9, text, "Normal or Warning."),
    eventTime: field(10, microTime, "When it happened first, to the microsecond."),
    series: field(11, EventSeries, "How it came again."),
    action: field(12, text, "What was done about it."),
    related: field(13, ObjectReference, "Another object that has to do with it."),
    reportingComponent: field(14, text, "The controller that reports."),
    reportingInstance: field(15, text, "Which instance of it reports."),
  }),
);
export type Event = z.infer<typeof Event>;
