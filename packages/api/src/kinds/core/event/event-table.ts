import { formatSince } from "../../../table/cells.ts";
import { column, type KindTable, nameColumn, wide } from "../../../table/columns.ts";
import type { EventsV1Event } from "../../events/event/events-v1-event.ts";
import type { Event } from "./event.ts";

const columns = [
  column("Last Seen", "Time since the event last occurred."),
  column("Type", "Normal or Warning."),
  column("Reason", "Reason for the event, one word."),
  column("Object", "Object that the event is about."),
  wide(column("Subobject", "Part of the object that the event is about.")),
  wide(column("Source", "Component that reported the event.")),
  column("Message", "Description of the event."),
  wide(column("First Seen", "Time since the event first occurred.")),
  wide(column("Count", "Number of occurrences of the event.")),
  wide(nameColumn),
];

export const eventTable: KindTable<Event> = {
  columns,
  cells(event, nowMs) {
    const first = formatFirstOf([event.firstTimestamp, event.eventTime], nowMs);
    const target = event.involvedObject;
    return [
      lastSeen(event.series, event.lastTimestamp, { first, nowMs }),
      event.type ?? "",
      event.reason ?? "",
      formatTarget(target),
      target.fieldPath ?? "",
      formatSource(event.source?.component || event.reportingComponent, event.source?.host || event.reportingInstance),
      (event.message ?? "").trim(),
      first,
      event.series?.count ?? (event.count || 1),
      event.metadata.name ?? "",
    ];
  },
};

/** The events of events.k8s.io/v1, which upstream prints like events of core/v1. */
export const eventsV1Table: KindTable<EventsV1Event> = {
  columns,
  cells(event, nowMs) {
    const first = formatFirstOf([event.deprecatedFirstTimestamp, event.eventTime], nowMs);
    const target = event.regarding ?? {};
    const source = event.deprecatedSource;
    return [
      lastSeen(event.series, event.deprecatedLastTimestamp, { first, nowMs }),
      event.type ?? "",
      event.reason ?? "",
      formatTarget(target),
      target.fieldPath ?? "",
      formatSource(source?.component || event.reportingController, source?.host || event.reportingInstance),
      (event.note ?? "").trim(),
      first,
      event.series?.count ?? (event.deprecatedCount || 1),
      event.metadata.name ?? "",
    ];
  },
};

function formatFirstOf(timestamps: readonly (string | undefined)[], nowMs: number): string {
  return formatSince(
    timestamps.find((timestamp) => timestamp),
    nowMs,
  );
}

function lastSeen(
  series: { lastObservedTime?: string | undefined } | undefined,
  lastTimestamp: string | undefined,
  otherwise: { first: string; nowMs: number },
): string {
  if (series !== undefined) {
    return formatSince(series.lastObservedTime, otherwise.nowMs);
  }
  return lastTimestamp ? formatSince(lastTimestamp, otherwise.nowMs) : otherwise.first;
}

function formatTarget({ kind, name }: { kind?: string | undefined; name?: string | undefined }): string {
  return [(kind ?? "").toLowerCase(), ...(name ? [name] : [])].join("/");
}

function formatSource(component: string | undefined, instance: string | undefined): string {
  return instance ? `${component ?? ""}, ${instance}` : (component ?? "");
}
