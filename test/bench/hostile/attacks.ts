import type { Attack } from "./attack.ts";
import { connectionAttacks } from "./connection-attacks.ts";

/** Everything that is tried against a server. */
export const attacks: readonly Attack[] = [...connectionAttacks];
