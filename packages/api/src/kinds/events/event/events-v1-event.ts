import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object, required, requiredNullable } from "../../../schema/fields.ts";
import { int32, microTime, text, time } from "../../../schema/types.ts";
import { EventSource } from "../../core/event/event.ts";
import { ObjectReference } from "../../core/references.ts";

export const EventsV1EventSeries = object(
  "io.k8s.api.events.v1.EventSeries",
  "EventSeries counts the repetitions of an event.",
  () => ({
    count: required(1, int32, "Number of occurrences in the series so far."),
    lastObservedTime: requiredNullable(2, microTime, "Time of the last occurrence."),
  }),
);
export type EventsV1EventSeries = z.infer<typeof EventsV1EventSeries>;

export const EventsV1Event = kind(
  "io.k8s.api.events.v1.Event",
  "An Event reports something that happened to an object. Events are informational and expire after a limited time.",
  () => ({
    metadata: always(1, ObjectMeta, "Name, namespace, labels and owners of the object."),
    eventTime: requiredNullable(2, microTime, "Time of the first occurrence."),
    series: field(3, EventsV1EventSeries, "Repetitions of the event. Unset for a single event."),
    reportingController: field(
      4,
      text,
      "Name of the controller that reported the event, such as kubernetes.io/kubelet.",
    ),
    reportingInstance: field(5, text, "ID of the controller instance, such as the name of its pod."),
    action: field(6, text, "Action that the controller took or failed to take."),
    reason: field(7, text, "Reason for the action, one CamelCase word of at most 128 characters."),
    regarding: field(8, ObjectReference, "Object that the event is about."),
    related: field(9, ObjectReference, "Second object of the event, if the action involves two objects."),
    note: field(10, text, "Human-readable description of the event, at most 1 KiB."),
    type: field(11, text, "Type of the event: Normal or Warning."),
    deprecatedSource: field(12, EventSource, "Deprecated. Present for compatibility with core/v1 Events."),
    deprecatedFirstTimestamp: field(13, time, "Deprecated. Present for compatibility with core/v1 Events."),
    deprecatedLastTimestamp: field(14, time, "Deprecated. Present for compatibility with core/v1 Events."),
    deprecatedCount: field(15, int32, "Deprecated. Present for compatibility with core/v1 Events."),
  }),
);
export type EventsV1Event = z.infer<typeof EventsV1Event>;
