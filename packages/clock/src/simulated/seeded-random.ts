import { type Random, uuidFromBytes } from "../random.ts";

/** Random numbers that depend only on the seed (mulberry32). */
export class SeededRandom implements Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  float(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }

  integer(below: number): number {
    return Math.floor(this.float() * below);
  }

  bytes(length: number): Uint8Array {
    return Uint8Array.from({ length }, () => this.integer(256));
  }

  uuid(): string {
    return uuidFromBytes(this.bytes(16));
  }
}
