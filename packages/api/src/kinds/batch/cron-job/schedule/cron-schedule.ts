import { everyOf } from "./every-schedule.ts";
import { type CalendarFields, nextOf } from "./schedule-times.ts";
import { readFields } from "./schedule-fields.ts";
import type { TimeZone } from "./time-zone.ts";

/** The times of a CronJob's schedule. */
export interface CronSchedule {
  /**
   * Returns the first time after an instant; undefined if the schedule is not due within five
   * years.
   */
  next(afterMs: number): number | undefined;
  /** Returns the last time in (afterMs, untilMs]. An interval schedule counts from `afterMs`. */
  latest(afterMs: number, untilMs: number): number | undefined;
}

const descriptors: Readonly<Record<string, string>> = {
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@hourly": "0 * * * *",
};

const minuteMs = 60_000;

/** Parses a schedule like ParseStandard of robfig/cron v3; a problem has that library's text. */
export function parseSchedule(text: string, zone: TimeZone): CronSchedule | { problem: string } {
  if (text === "") return { problem: "empty spec string" };
  if (text.startsWith("@every ")) {
    const every = everyOf(text);
    return "problem" in every ? every : everySchedule(every.delayMs);
  }
  const line = text.startsWith("@") ? (Object.hasOwn(descriptors, text) ? descriptors[text] : undefined) : text;
  if (line === undefined) return { problem: `unrecognized descriptor: ${text}` };
  const fields = readFields(line);
  return "problem" in fields ? fields : calendarSchedule(fields, zone);
}

function everySchedule(delayMs: number): CronSchedule {
  return {
    next: (afterMs) => afterMs - (afterMs % 1000) + delayMs,
    latest: (afterMs, untilMs) => {
      const startMs = afterMs - (afterMs % 1000);
      const count = Math.floor((untilMs - startMs) / delayMs);
      return count < 1 ? undefined : startMs + count * delayMs;
    },
  };
}

function calendarSchedule(fields: CalendarFields, zone: TimeZone): CronSchedule {
  const next = (afterMs: number) => nextOf(fields, zone, afterMs);
  return {
    next,
    // Bisection finds the last time without a walk through all earlier times, which may be millions
    // for a schedule that ran long ago.
    latest: (afterMs, untilMs) => {
      const first = next(afterMs);
      if (first === undefined || first > untilMs) return undefined;
      let found = first;
      let high = untilMs;
      while (high - found >= minuteMs) {
        const middle = found + Math.floor((high - found) / 2);
        const after = next(middle);
        if (after !== undefined && after <= untilMs) found = after;
        else high = middle;
      }
      return found;
    },
  };
}
