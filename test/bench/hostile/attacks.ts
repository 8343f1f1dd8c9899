import type { Attack } from "./attack.ts";
import { connectionAttacks } from "./connection-attacks.ts";

/** All attacks on a server. */
export const attacks: readonly Attack[] = [...connectionAttacks];
