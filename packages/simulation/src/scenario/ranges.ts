import { formatDuration, parseDurationMs } from "@kintsugi/api";

/** The allowed values of a measure: minimum and maximum, inclusive unless they are open. */
export interface Range {
  readonly min: number;
  readonly max: number;
  readonly minOpen?: boolean;
  readonly maxOpen?: boolean;
}

/**
 * Parses the range of a measure: "40s" exactly, "< 6m", "<= 6m", "> 1m", ">= 1m", "30s..40s";
 * counts without a unit.
 * @throws Error for any other text.
 */
export function parseRange(text: string, unit: "time" | "count"): Range {
  const read = unit === "time" ? parseDurationMs : parseCount;
  const compared = /^(<=|>=|<|>)\s*(.+)$/.exec(text.trim());
  if (compared) {
    const bound = read(compared[2] ?? "");
    const open = compared[1]?.length === 1;
    return compared[1]?.startsWith("<")
      ? { min: 0, max: bound, ...(open ? { maxOpen: true } : {}) }
      : { min: bound, max: Infinity, ...(open ? { minOpen: true } : {}) };
  }
  const [from = "", to] = text.split("..").map((part) => part.trim());
  const min = read(from);
  const max = to === undefined ? min : read(to);
  if (max < min) throw new Error(`"${text}" ends before it begins.`);
  return { min, max };
}

export function isWithin(value: number, { min, max, minOpen, maxOpen }: Range): boolean {
  return (minOpen === true ? value > min : value >= min) && (maxOpen === true ? value < max : value <= max);
}

/** Formats a range for scenario files. */
export function formatRange({ min, max, minOpen, maxOpen }: Range, unit: "time" | "count"): string {
  const show = (value: number) => (unit === "time" ? formatDuration(value) : String(value));
  if (max === Infinity) return `${minOpen === true ? ">" : ">="} ${show(min)}`;
  if (min === max && minOpen !== true && maxOpen !== true) return show(min);
  if (min === 0) return `${maxOpen === true ? "<" : "<="} ${show(max)}`;
  return `${show(min)}..${show(max)}`;
}

function parseCount(text: string): number {
  if (!/^\d+$/.test(text)) throw new Error(`"${text}" is not a count; write for example 2, "< 3" or 1..4.`);
  return Number(text);
}
