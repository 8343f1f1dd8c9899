import { RecordedConfigMaps } from "@kintsugi/simulation";

/** The load's objects. */
export const loadObjects = new RecordedConfigMaps("chaos");

/**
 * A label that writers change randomly, so that objects enter and leave the range of a selector.
 */
export type Parity = "even" | "odd";
