import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object, required, requiredNullable } from "../../../schema/fields.ts";
import { int32, microTime, text, time } from "../../../schema/types.ts";
import { EventSource } from "../../core/event/event.ts";
import { ObjectReference } from "../../core/references.ts";

export const EventsV1EventSeries = object(
  "io.k8s.api.events.v1.EventSeries",
  "A series counts the repetitions of an event.",
  () => ({
    count: required(1, int32, "The event has occurred this many times so far."),
    lastObservedTime: requiredNullable(2, microTime, "The event last occurred at this time."),
  }),
);
export type EventsV1EventSeries = z.infer<typeof EventsV1EventSeries>;

export const EventsV1Event = kind(
  "io.k8s.api.events.v1.Event",
  "An Event reports something that happened to an object; events are kept for a limited time and are informative only.",
  () => ({
    metadata: always(1, ObjectMeta, "Metadata holds the object's name, namespace, labels and owners."),
    eventTime: requiredNullable(2, microTime, "The event was first observed at this time."),
    series: field(3, EventsV1EventSeries, "The series counts the repetitions; it is unset for a single event."),
    reportingController: field(
      4,
      text,
      "The event was emitted by the controller with this name, such as kubernetes.io/kubelet.",
    ),
    reportingInstance: field(
      5,
      text,
      "The event was emitted by the controller instance with this ID, such as its pod's name.",
    ),
    action: field(6, text, "The controller took this action on the object, or an action on it failed."),
    reason: field(7, text, "One CamelCase word gives the reason for the action; it has at most 128 characters."),
    regarding: field(8, ObjectReference, "The event concerns this object."),
    related: field(9, ObjectReference, "A second object is involved in a more complex action."),
    note: field(10, text, "A text for people describes the event; it has at most 1 KiB."),
    type: field(11, text, "The type of the event is Normal or Warning."),
    deprecatedSource: field(12, EventSource, "This field is deprecated and keeps events compatible with core/v1."),
    deprecatedFirstTimestamp: field(13, time, "This field is deprecated and keeps events compatible with core/v1."),
    deprecatedLastTimestamp: field(14, time, "This field is deprecated and keeps events compatible with core/v1."),
    deprecatedCount: field(15, int32, "This field is deprecated and keeps events compatible with core/v1."),
  }),
);
export type EventsV1Event = z.infer<typeof EventsV1Event>;
