import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { field, kind, object, required } from "../../../schema/fields.ts";
import { int32, microTime, text, time } from "../../../schema/types.ts";
import { ObjectReference } from "../references.ts";

export const EventSeries = object(
  "io.k8s.api.core.v1.EventSeries",
  "EventSeries counts the repetitions of an event.",
  () => ({
    count: field(1, int32, "Number of occurrences in the series so far."),
    lastObservedTime: field(2, microTime, "Time of the last occurrence."),
  }),
);
export type EventSeries = z.infer<typeof EventSeries>;

export const EventSource = object(
  "io.k8s.api.core.v1.EventSource",
  "EventSource identifies the component that reported an event.",
  () => ({
    component: field(1, text, "Component that reported the event, such as kubelet."),
    host: field(2, text, "Name of the node on which the component runs."),
  }),
);
export type EventSource = z.infer<typeof EventSource>;

export const Event = kind(
  "io.k8s.api.core.v1.Event",
  "An Event reports something that happened to an object. Events are informational and expire after a limited time.",
  () => ({
    metadata: required(
      1,
      ObjectMeta,
      "Metadata of the event. The namespace of the event is the namespace of the involved object.",
    ),
    involvedObject: required(2, ObjectReference, "Object that the event is about."),
    reason: field(3, text, "Reason for the event, one CamelCase word such as Scheduled or BackOff."),
    message: field(4, text, "Human-readable description of the event."),
    source: field(5, EventSource, "Component that reported the event."),
    firstTimestamp: field(6, time, "Time at which the event was first recorded."),
    lastTimestamp: field(7, time, "Time at which the event was last recorded."),
    count: field(8, int32, "Number of occurrences of the event."),
    type: field(9, text, "Type of the event: Normal or Warning."),
    eventTime: field(10, microTime, "Time of the first occurrence, with microsecond precision."),
    series: field(11, EventSeries, "Repetitions of the event. Unset for a single event."),
    action: field(12, text, "Action that the reporting controller took or failed to take."),
    related: field(13, ObjectReference, "Second object of the event, if the action involves two objects."),
    reportingComponent: field(
      14,
      text,
      "Name of the controller that reported the event, such as kubernetes.io/kubelet.",
    ),
    reportingInstance: field(15, text, "ID of the controller instance, such as the name of its pod."),
  }),
);
export type Event = z.infer<typeof Event>;
