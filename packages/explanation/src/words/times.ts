import { formatTimestamp, instantOf } from "@kintsugi/api";
import type { Due, TimerName } from "../explanation.ts";

function dueAt(atMs: number, timer: TimerName): Due {
  return { at: formatTimestamp(atMs), timer };
}

/** A field of a reason that is present only if the time is known. */
export function sinceOf(text: string | null | undefined): { since?: string } {
  return instantOf(text) === undefined ? {} : { since: text as string };
}

/** A field of a reason that is present only if the end of the timer is known. */
export function dueOf(atMs: number | undefined, timer: TimerName): { due?: Due } {
  return atMs === undefined || !Number.isFinite(atMs) ? {} : { due: dueAt(atMs, timer) };
}

/** Writes a time of the API without its fraction of a second, which people do not need. */
export function toTheSecond(text: string): string {
  return text.replace(/\.\d+(?=Z|[+-])/, "");
}
