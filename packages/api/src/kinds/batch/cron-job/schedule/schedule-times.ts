import type { TimeZone } from "./time-zone.ts";

/** The minutes at which a schedule is due, by the parts of a wall clock. */
export interface CalendarFields {
  /** Minutes and hours are in ascending order. */
  minutes: readonly number[];
  hours: readonly number[];
  days: ReadonlySet<number>;
  months: ReadonlySet<number>;
  weekdays: ReadonlySet<number>;
  /**
   * True if both days of the month and days of the week are restricted; a day of either kind is
   * then due.
   */
  anyDay: boolean;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** The limit of robfig/cron, which finds 29 February and ends the search for 31 February. */
const yearsMax = 5;

/**
 * Returns the first instant after another at which the clock of the zone shows a minute of the
 * schedule. As in robfig/cron, a minute that the clock skips is not due, and a minute that it shows
 * twice is due twice. Times of the wall clock are represented as if they were UTC.
 */
export function nextOf(fields: CalendarFields, zone: TimeZone, afterMs: number): number | undefined {
  const wallMs = afterMs + zone.offsetMs(afterMs);
  const yearMax = new Date(wallMs).getUTCFullYear() + yearsMax;
  // A clock that is set back may show the day before again.
  let dayStartMs = Math.floor(wallMs / dayMs) * dayMs - dayMs;
  for (; new Date(dayStartMs).getUTCFullYear() <= yearMax; dayStartMs += dayMs) {
    if (!isDayDue(fields, new Date(dayStartMs))) continue;
    const found = firstOfDay(fields, zone, { dayStartMs, afterMs });
    if (found !== undefined) return found;
  }
  return undefined;
}

function isDayDue({ days, months, weekdays, anyDay }: CalendarFields, day: Date): boolean {
  if (!months.has(day.getUTCMonth() + 1)) return false;
  const byDay = days.has(day.getUTCDate());
  const byWeekday = weekdays.has(day.getUTCDay());
  return anyDay ? byDay || byWeekday : byDay && byWeekday;
}

function firstOfDay(
  { hours, minutes }: CalendarFields,
  zone: TimeZone,
  { dayStartMs, afterMs }: { dayStartMs: number; afterMs: number },
): number | undefined {
  // A zone changes its offset at most once within these three days.
  const offsets = new Set([zone.offsetMs(dayStartMs - dayMs), zone.offsetMs(dayStartMs + 2 * dayMs)]);
  let first: number | undefined;
  for (const offsetMs of offsets) {
    const found = firstWithOffset({ hours, minutes }, { startMs: dayStartMs - offsetMs, afterMs }, (instantMs) =>
      offsets.size === 1 ? true : zone.offsetMs(instantMs) === offsetMs,
    );
    if (found !== undefined && (first === undefined || found < first)) first = found;
  }
  return first;
}

function firstWithOffset(
  { hours, minutes }: Pick<CalendarFields, "hours" | "minutes">,
  { startMs, afterMs }: { startMs: number; afterMs: number },
  isReal: (instantMs: number) => boolean,
): number | undefined {
  for (const hour of hours) {
    const hourStartMs = startMs + hour * hourMs;
    if (hourStartMs + hourMs <= afterMs) continue;
    for (const minute of minutes) {
      const instantMs = hourStartMs + minute * minuteMs;
      if (instantMs > afterMs && isReal(instantMs)) return instantMs;
    }
  }
  return undefined;
}
