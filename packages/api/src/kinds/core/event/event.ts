import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { field, kind, object, required } from "../../../schema/fields.ts";
import { int32, microTime, text, time } from "../../../schema/types.ts";
import { ObjectReference } from "../references.ts";

export const EventSeries = object(
  "io.k8s.api.core.v1.EventSeries",
  "A series counts the repetitions of an event.",
  () => ({
    count: field(1, int32, "The event has occurred this many times so far."),
    lastObservedTime: field(2, microTime, "The event last occurred at this time."),
  }),
);
export type EventSeries = z.infer<typeof EventSeries>;

export const EventSource = object(
  "io.k8s.api.core.v1.EventSource",
  "The source names the component that reported an event.",
  () => ({
    component: field(1, text, "The event was reported by this component, such as kubelet."),
    host: field(2, text, "The component runs on the node with this name."),
  }),
);
export type EventSource = z.infer<typeof EventSource>;

export const Event = kind(
  "io.k8s.api.core.v1.Event",
  "An Event reports something that happened to an object; events are kept for a limited time and are informative only.",
  () => ({
    metadata: required(1, ObjectMeta, "Metadata identifies the event; its namespace is that of the object involved."),
    involvedObject: required(2, ObjectReference, "The event concerns this object."),
    reason: field(3, text, "One CamelCase word gives the reason for the event, such as Scheduled or BackOff."),
    message: field(4, text, "A text for people describes the event."),
    source: field(5, EventSource, "The component in this field reported the event."),
    firstTimestamp: field(6, time, "The event was first recorded at this time."),
    lastTimestamp: field(7, time, "The event was last recorded at this time."),
    count: field(8, int32, "The event has occurred this many times."),
    type: field(9, text, "The type of the event is Normal or Warning."),
    eventTime: field(10, microTime, "The event was first observed at this time, in microseconds."),
    series: field(11, EventSeries, "The series counts the repetitions; it is unset for a single event."),
    action: field(12, text, "The reporting controller took this action on the object, or an action on it failed."),
    related: field(13, ObjectReference, "A second object is involved in a more complex action."),
    reportingComponent: field(
      14,
      text,
      "The event was emitted by the controller with this name, such as kubernetes.io/kubelet.",
    ),
    reportingInstance: field(
      15,
      text,
      "The event was emitted by the controller instance with this ID, such as its pod's name.",
    ),
  }),
);
export type Event = z.infer<typeof Event>;
