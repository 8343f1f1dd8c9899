import { fnv1a32 } from "@kintsugi/api";
import type { Random } from "@kintsugi/clock";
import { SeededRandom } from "@kintsugi/clock/simulated";

/** Randomness for each part of a cluster by its name. */
export interface RandomSource {
  of(name: string): Random;
}

/**
 * The randomness of one run, for each part by its name: the numbers of a part depend only on the
 * seed, its name and the count of calls with that name. A part that is added, is removed or draws
 * more never changes the numbers of another part, and a plan without one of its faults is otherwise
 * the same plan.
 */
export class SeededRandomSource {
  readonly #seed: number;
  readonly #times = new Map<string, number>();

  /** @param seed any integer; its lowest 32 bits count. */
  constructor(seed: number) {
    this.#seed = seed >>> 0;
  }

  /**
   * Returns the random numbers of a part. Each further call with the same name, as for each
   * incarnation of a process, returns other numbers.
   */
  of(name: string): SeededRandom {
    const time = this.#times.get(name) ?? 0;
    this.#times.set(name, time + 1);
    return new SeededRandom(fnv1a32(encoder.encode(`${this.#seed}/${name}#${time}`)));
  }
}

/** The random numbers of each of several parts, by name, for as long as this object is retained. */
export class RandomOfEach {
  readonly #randomSource: SeededRandomSource;
  readonly #what: string;
  readonly #each = new Map<string, Random>();

  /** @param what name of the random stream, such as "bus latency". */
  constructor(randomSource: SeededRandomSource, what: string) {
    this.#randomSource = randomSource;
    this.#what = what;
  }

  of(name: string): Random {
    const random = this.#each.get(name) ?? this.#randomSource.of(`${this.#what} ${name}`);
    this.#each.set(name, random);
    return random;
  }
}

const encoder = new TextEncoder();
