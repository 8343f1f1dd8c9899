import { type NodeColumn, resized, type RowState } from "./column.ts";

/** The values of one label, by row, each value as a number. */
export class LabelColumn implements NodeColumn {
  readonly #key: string;
  /** The number of the node's value; 0 if it has no value. */
  numbers: Int32Array<ArrayBuffer>;
  readonly #numberOf = new Map<string, number>();
  /** Values by their number; an unused number has an empty string. */
  readonly #texts: string[] = [""];
  /** The number of nodes that have the value, by the value's number. */
  readonly #nodes: number[] = [0];
  readonly #free: number[] = [];

  constructor(key: string, rows: number) {
    this.#key = key;
    this.numbers = new Int32Array(rows);
  }

  /** The exclusive upper bound of the numbers in the column. */
  get limit(): number {
    return this.#texts.length;
  }

  /** The number of a value; 0 if nodes do not have the value. */
  numberOf(value: string): number {
    return this.#numberOf.get(value) ?? 0;
  }

  /** The value behind a number; undefined for 0, and for a number that no node currently has. */
  textOf(number: number): string | undefined {
    return (this.#nodes[number] ?? 0) > 0 ? this.#texts[number] : undefined;
  }

  grow(rows: number): void {
    this.numbers = resized(this.numbers, rows);
  }

  nodeChanged(row: number, { labels }: RowState): void {
    const value = labels[this.#key];
    const before = this.numbers[row] ?? 0;
    if (before === 0 ? value === undefined : this.#texts[before] === value) return;
    if (before !== 0) this.#leave(before);
    this.numbers[row] = value === undefined ? 0 : this.#enter(value);
  }

  #enter(value: string): number {
    let number = this.#numberOf.get(value);
    if (number === undefined) {
      number = this.#free.pop() ?? this.#texts.length;
      this.#numberOf.set(value, number);
      this.#texts[number] = value;
    }
    this.#nodes[number] = (this.#nodes[number] ?? 0) + 1;
    return number;
  }

  /** A number that is no longer used by a node is reused for another value. */
  #leave(number: number): void {
    const left = (this.#nodes[number] ?? 0) - 1;
    this.#nodes[number] = left;
    if (left > 0) return;
    this.#numberOf.delete(this.#texts[number] ?? "");
    this.#texts[number] = "";
    this.#free.push(number);
  }
}
