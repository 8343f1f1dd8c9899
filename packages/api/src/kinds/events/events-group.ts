export * from "./event/events-v1-event-kind.ts";
export * from "./event/events-v1-event-type.ts";
export * from "./event/events-v1-event.ts";
