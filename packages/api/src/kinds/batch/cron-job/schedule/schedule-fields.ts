import type { CalendarFields } from "./schedule-times.ts";

interface Bounds {
  min: number;
  max: number;
  /** Names of the values from `min` on. */
  names?: readonly string[];
}

const bounds = {
  minutes: { min: 0, max: 59 },
  hours: { min: 0, max: 23 },
  days: { min: 1, max: 31 },
  months: {
    min: 1,
    max: 12,
    names: ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"],
  },
  weekdays: { min: 0, max: 6, names: ["sun", "mon", "tue", "wed", "thu", "fri", "sat"] },
} satisfies Record<string, Bounds>;

interface Field {
  values: Set<number>;
  isStar: boolean;
}

/** Thrown inside a field; `readFields` returns the problem. */
class ScheduleProblem extends Error {}

/** Reads the five fields of a schedule. */
export function readFields(line: string): CalendarFields | { problem: string } {
  const words = line.split(/\s+/u).filter((word) => word !== "");
  const [minutes, hours, days, months, weekdays, ...rest] = words;
  if (weekdays === undefined || rest.length > 0) {
    return { problem: `expected exactly 5 fields, found ${words.length}: [${words.join(" ")}]` };
  }
  try {
    const read = {
      minutes: readField(minutes ?? "", bounds.minutes),
      hours: readField(hours ?? "", bounds.hours),
      days: readField(days ?? "", bounds.days),
      months: readField(months ?? "", bounds.months),
      weekdays: readField(weekdays, bounds.weekdays),
    };
    return {
      minutes: sorted(read.minutes),
      hours: sorted(read.hours),
      days: read.days.values,
      months: read.months.values,
      weekdays: read.weekdays.values,
      anyDay: !read.days.isStar && !read.weekdays.isStar,
    };
  } catch (error) {
    if (error instanceof ScheduleProblem) return { problem: error.message };
    throw error;
  }
}

function sorted({ values }: Field): number[] {
  return [...values].toSorted((left, right) => left - right);
}

function readField(text: string, limits: Bounds): Field {
  const field: Field = { values: new Set(), isStar: false };
  for (const range of text.split(",")) if (range !== "") readRange(range, limits, field);
  return field;
}

/** Adds `number`, `from-to`, `*` or `?`, each optionally with `/step`. */
function readRange(text: string, limits: Bounds, field: Field): void {
  const [range = "", stepText, ...moreSteps] = text.split("/");
  const [from = "", to, ...moreEnds] = range.split("-");
  const isStar = from === "*" || from === "?";
  if (!isStar && moreEnds.length > 0) throw new ScheduleProblem(`too many hyphens: ${text}`);
  const start = isStar ? limits.min : readValue(from, limits);
  let end = isStar ? limits.max : to === undefined ? start : readValue(to, limits);
  if (moreSteps.length > 0) throw new ScheduleProblem(`too many slashes: ${text}`);
  const step = stepText === undefined ? 1 : readNumber(stepText);
  // "N/step" means "N-max/step".
  if (stepText !== undefined && to === undefined) end = limits.max;
  const { min, max } = limits;
  if (start < min) throw new ScheduleProblem(`beginning of range (${start}) below minimum (${min}): ${text}`);
  if (end > max) throw new ScheduleProblem(`end of range (${end}) above maximum (${max}): ${text}`);
  if (start > end) throw new ScheduleProblem(`beginning of range (${start}) beyond end of range (${end}): ${text}`);
  if (step === 0) throw new ScheduleProblem(`step of range should be a positive number: ${text}`);
  for (let value = start; value <= end; value += step) field.values.add(value);
  field.isStar ||= isStar && step === 1;
}

function readValue(text: string, { min, names = [] }: Bounds): number {
  const index = names.indexOf(text.toLowerCase());
  return index < 0 ? readNumber(text) : index + min;
}

function readNumber(text: string): number {
  if (!/^[+-]?\d+$/.test(text)) {
    throw new ScheduleProblem(
      `failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`,
    );
  }
  const value = Number(text);
  if (!Number.isSafeInteger(value)) {
    throw new ScheduleProblem(
      `failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: value out of range`,
    );
  }
  if (value < 0) throw new ScheduleProblem(`negative number (${value}) not allowed: ${text}`);
  return value;
}
