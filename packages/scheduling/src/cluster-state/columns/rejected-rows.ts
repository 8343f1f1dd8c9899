/** The rows that the filters of one decision have rejected so far. */
export class RejectedRows {
  /** 1 for each row that a filter has rejected. */
  readonly #marks: Uint8Array;

  /** @param limit rows are smaller than this. */
  constructor(limit: number) {
    this.#marks = new Uint8Array(limit);
  }

  get limit(): number {
    return this.#marks.length;
  }

  has(row: number): boolean {
    return this.#marks[row] === 1;
  }

  add(row: number): void {
    this.#marks[row] = 1;
  }

  /** Adds each row whose number in the column has 0 in the table. */
  addZeros(column: ArrayLike<number>, table: ArrayLike<number>): void {
    const marks = this.#marks;
    for (let row = 0; row < marks.length; row++) if (table[column[row] as number] === 0) marks[row] = 1;
  }

  /** Adds each row that has 0 in the column. */
  addZeroRows(column: ArrayLike<number>): void {
    const marks = this.#marks;
    for (let row = 0; row < marks.length; row++) if (column[row] === 0) marks[row] = 1;
  }
}
