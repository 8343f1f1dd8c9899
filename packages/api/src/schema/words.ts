import { oneOf } from "./types.ts";

/** Closed sets of words that several kinds share. */

export const conditionStatus = oneOf("True", "False", "Unknown");

export const protocol = oneOf("TCP", "UDP", "SCTP");

export const taintEffect = oneOf("NoSchedule", "PreferNoSchedule", "NoExecute");
