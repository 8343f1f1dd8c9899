import type { Taint } from "@kintsugi/api";
import { type NodeColumn, resized, type RowState } from "./column.ts";

/**
 * Limit on remembered sets of taints. A cluster has some dozen sets. If a controller invents more,
 * the sets are numbered again.
 */
const taintSetsMax = 10_000;

/** The sets of taints, by row, each set as a number. */
export class TaintColumn implements NodeColumn {
  /** The number of the node's set of taints; 0 is the empty set. */
  numbers: Int32Array<ArrayBuffer>;
  #sets: (readonly Taint[])[] = [[]];
  #numberOf = new Map<string, number>();
  readonly #states: readonly (RowState | undefined)[];

  /** @param states are the current and future states of the nodes by row. */
  constructor(states: readonly (RowState | undefined)[], rows: number) {
    this.#states = states;
    this.numbers = new Int32Array(rows);
  }

  /** The exclusive upper bound of the numbers in the column. */
  get limit(): number {
    return this.#sets.length;
  }

  taintsOf(number: number): readonly Taint[] {
    return this.#sets[number] ?? [];
  }

  /** Returns a table with 1 at the number of each set that satisfies the condition. */
  setsThat(condition: (taints: readonly Taint[]) => boolean): Uint8Array {
    return Uint8Array.from(this.#sets, (taints) => (condition(taints) ? 1 : 0));
  }

  grow(rows: number): void {
    this.numbers = resized(this.numbers, rows);
  }

  nodeChanged(row: number, { taints }: RowState): void {
    this.numbers[row] = this.#enter(taints);
  }

  #enter(taints: readonly Taint[]): number {
    if (taints.length === 0) return 0;
    const text = textOf(taints);
    const known = this.#numberOf.get(text);
    if (known !== undefined) return known;
    if (this.#sets.length >= taintSetsMax) this.#numberAnew();
    return this.#number(text, taints);
  }

  #number(text: string, taints: readonly Taint[]): number {
    const number = this.#numberOf.get(text) ?? this.#sets.push(taints) - 1;
    this.#numberOf.set(text, number);
    return number;
  }

  /**
   * Keeps only the sets that nodes currently have. If nodes have too many sets, the numbers are
   * assigned again for each new set.
   */
  #numberAnew(): void {
    this.#sets = [[]];
    this.#numberOf = new Map();
    for (const [row, state] of this.#states.entries()) {
      if (state === undefined || state.taints.length === 0) continue;
      this.numbers[row] = this.#number(textOf(state.taints), state.taints);
    }
  }
}

function textOf(taints: readonly Taint[]): string {
  return JSON.stringify(taints.map(({ key, value = "", effect }) => [key, value, effect]));
}
