import type { RunName } from "./runs/runs.ts";

/** A plausible mistake, as data, because the product does not have switches for mistakes. */
export interface PlantedBug {
  /** The product's behavior with the bug, as a sentence without a subject: "skips the fsync". */
  readonly name: string;
  /** The path from the repository's root. */
  readonly file: string;
  /** Occurs in the file exactly once. */
  readonly find: string;
  readonly replace: string;
  /** The name of the check that finds the bug, as in test/simulation/README.md. */
  readonly caughtBy: string;
  /**
   * A second check that finds the same bug from a client's observations: the random source
   * determines which check is first.
   */
  readonly orBy?: string;
  /** The kind of run that reveals the bug. */
  readonly run: RunName;
  /** The first seed, from 1, whose run finds the bug. */
  readonly seed: number;
}

export class CannotBePlanted extends Error {
  override readonly name = "CannotBePlanted";

  constructor(bug: PlantedBug, because: string) {
    super(`can no longer be planted: "${bug.name}": ${because}`);
  }
}

/**
 * Returns the source with the bug.
 * @throws CannotBePlanted unless the replaced text occurs exactly once.
 */
export function plant(bug: PlantedBug, source: string): string {
  const occurrences = source.split(bug.find).length - 1;
  if (occurrences !== 1) {
    throw new CannotBePlanted(bug, `${bug.file} has ${JSON.stringify(bug.find)} ${occurrences} times`);
  }
  // The replacement is a function, because "$&" and similar patterns have no meaning in code.
  return source.replace(bug.find, () => bug.replace);
}
