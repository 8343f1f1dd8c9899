import { RecordedConfigMaps } from "@kintsugi/simulation";

/** The load's objects. */
export const loadObjects = new RecordedConfigMaps("chaos");

/**
 * A label that writers change as they like, so that objects come into and leave what a selector
 * selects.
 */
export type Parity = "even" | "odd";
