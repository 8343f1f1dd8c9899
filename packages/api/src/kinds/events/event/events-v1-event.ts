import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object, required, requiredNullable } from "../../../schema/fields.ts";
import { int32, microTime, text, time } from "../../../schema/types.ts";
import { EventSource } from "../../core/event/event.ts";
import { ObjectReference } from "../../core/references.ts";

export const EventsV1EventSeries = object(
  "io.k8s.api.events.v1.EventSeries",
  "How often an event has come again, and when last.",
  () => ({
    count: required(1, int32),
    lastObservedTime: requiredNullable(2, microTime),
  }),
);
export type EventsV1EventSeries = z.infer<typeof EventsV1EventSeries>;

export const EventsV1Event = kind(
  "io.k8s.api.events.v1.Event",
  "Something that happened to an object, in the newer form.",
  () => ({
    metadata: always(1, ObjectMeta),
    eventTime: requiredNullable(2, microTime, "When it happened first."),
    series: field(3, EventsV1EventSeries, "How it came again."),
    reportingController: field(4, text, "The controller that reports."),
    reportingInstance: field(5, text, "Which instance of it reports."),
    action: field(6, text, "What was done, in one word."),
    reason: field(7, text, "Why it was done, in one word."),
    regarding: field(8, ObjectReference, "What it happened to."),
    related: field(9, ObjectReference, "Another object that has to do with it."),
    note: field(10, text, "What happened, in a sentence."),
    type: field(11, text, "Normal or Warning."),
    deprecatedSource: field(12, EventSource),
    deprecatedFirstTimestamp: field(13, time),
    deprecatedLastTimestamp: field(14, time),
    deprecatedCount: field(15, int32),
  }),
);
export type EventsV1Event = z.infer<typeof EventsV1Event>;
