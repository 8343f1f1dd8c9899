import { keyDefault, oneOf } from "./types.ts";

/** Closed sets of words that several kinds share. */

export const conditionStatus = oneOf("True", "False", "Unknown");

export const protocol = keyDefault(oneOf("TCP", "UDP", "SCTP"), "TCP");

export const taintEffect = oneOf("NoSchedule", "PreferNoSchedule", "NoExecute");
