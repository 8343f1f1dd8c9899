import { strict as assert } from "node:assert";
import type { ApiObject } from "@kintsugi/api";
import { nameSuffix, type Random } from "@kintsugi/clock";

/** A generated name is at most 63 characters long, 5 of them random. */
export const namePrefixLengthMax = 58;
/** All of these draws fail once in 10^30 times even if half of all names are taken. */
const drawsMax = 100;

/**
 * A name as the server would generate it. The controller chooses it itself, so that a creation of
 * unknown outcome can be retried without making a second pod. The name must not be taken already:
 * five characters of 27 make 14 million names, so among 3,000 pods of one set two would have the
 * same name with a probability of a quarter, and the creation of the second would be mistaken for
 * that of the first.
 */
export function generatedName(
  generateName: string,
  { random, isTaken }: { random: Random; isTaken: (name: string) => boolean },
): string {
  const prefix = generateName.slice(0, namePrefixLengthMax);
  for (let draws = 0; draws < drawsMax; draws++) {
    const name = prefix + nameSuffix(random);
    if (!isTaken(name)) return name;
  }
  assert.fail(`${drawsMax} names were drawn, and all of them are taken`);
}

/** The prefix of the names of an owner's pods: "web-". */
export function podNamePrefix({ metadata }: ApiObject): string {
  return `${metadata.name ?? ""}-`;
}
