import { randomBytes, randomInt, randomUUID } from "node:crypto";
import type { Random } from "./random.ts";

/** The machine's randomness; unpredictable, so fit for keys and tokens too. */
export const systemRandom: Random = {
  float: () => Math.random(),
  integer: (below) => randomInt(below),
  bytes: (length) => randomBytes(length),
  uuid: () => randomUUID(),
};
