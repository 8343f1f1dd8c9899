import type { EnglishCounts } from "./plain-english.ts";

/** The violations of plain English that each place may still have. A number never rises; it is lowered when a count falls. */
export const englishLimits: Readonly<Record<string, EnglishCounts>> = {};
