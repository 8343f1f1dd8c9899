import type { ResourceType } from "../../../meta/resource-type.ts";
import type { Event } from "./event.ts";

export const events: ResourceType<Event> = {
  group: "",
  version: "v1",
  resource: "events",
  singular: "event",
  kind: "Event",
  namespaced: true,
  shortNames: ["ev"],
  categories: [],
};
