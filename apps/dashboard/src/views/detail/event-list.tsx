import { type Event, instantOf } from "@kintsugi/api";
import { clockText, zonedClockText } from "../../model/words.ts";
import type { Shown } from "../../model/commands.ts";
import type { DashboardPage } from "../../state/page.ts";

const shownMax = 100;

/** The events about an object, the newest first. */
export function EventList({ page, object }: { page: DashboardPage; object: Shown }) {
  const events = page.cluster
    .list("events")
    .filter(
      ({ involvedObject: about }) =>
        about.kind === object.kind && about.name === object.name && (about.namespace ?? "") === object.namespace,
    )
    .toSorted((a, b) => timeOf(b) - timeOf(a))
    .slice(0, shownMax);
  if (events.length === 0) return <p class="quiet">No event about it is kept.</p>;
  return (
    <ol class="events">
      {events.map((event) => (
        <li key={event.metadata.name} class={event.type === "Warning" ? "warning" : ""}>
          <time title={zonedClockText(timeOf(event))}>{clockText(timeOf(event))}</time>
          <div>
            <strong>{event.reason}</strong>
            {(event.count ?? 1) > 1 && <span class="muted"> {event.count} times</span>}
            <div>{event.message}</div>
          </div>
        </li>
      ))}
    </ol>
  );
}

function timeOf({ lastTimestamp, eventTime, firstTimestamp, metadata }: Event): number {
  return instantOf(lastTimestamp ?? eventTime ?? firstTimestamp ?? metadata.creationTimestamp) ?? 0;
}
