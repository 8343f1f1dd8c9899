import type { ResourceType } from "../../../meta/resource-type.ts";
import type { EventsV1Event } from "./events-v1-event.ts";

/** The same objects as `events`, in their newer representation. */
export const eventsV1: ResourceType<EventsV1Event> = {
  group: "events.k8s.io",
  version: "v1",
  resource: "events",
  singular: "event",
  kind: "Event",
  namespaced: true,
  shortNames: ["ev"],
  categories: [],
};
