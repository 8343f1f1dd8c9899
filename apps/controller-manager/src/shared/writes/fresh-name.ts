import { strict as assert } from "node:assert";

/** All of these draws fail once in 10^30 times even where half of all names are taken. */
const drawsMax = 100;

/**
 * Draws a name that is not taken. Five characters of 27 make 14 million names: of 3,000 pods of one
 * set two would have the same name in every fourth life, and the creation of the second would pass
 * for that of the first.
 */
export function freshName(draw: () => string, isTaken: (name: string) => boolean): string {
  for (let draws = 0; draws < drawsMax; draws++) {
    const name = draw();
    if (!isTaken(name)) return name;
  }
  assert.fail(`${drawsMax} names were drawn, and all of them are taken`);
}
