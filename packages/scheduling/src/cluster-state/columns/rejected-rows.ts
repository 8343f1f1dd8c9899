/** The rows that the filters of one decision have rejected so far. */
export class RejectedRows {
  /** The number of the first filter that has rejected each row, from 1; 0 for the other rows. */
  readonly #marks: Uint8Array;
  #filter = 1;

  /** @param limit the exclusive upper bound of the rows. */
  constructor(limit: number) {
    this.#marks = new Uint8Array(limit);
  }

  get limit(): number {
    return this.#marks.length;
  }

  has(row: number): boolean {
    return this.#marks[row] !== 0;
  }

  /**
   * The index of the first filter that has rejected the row; undefined if the row is not rejected.
   */
  filterOf(row: number): number | undefined {
    const mark = this.#marks[row] as number;
    return mark === 0 ? undefined : mark - 1;
  }

  /** Rows that are added from now on are rejected by the filter with this index, below 255. */
  beginFilter(index: number): void {
    this.#filter = index + 1;
  }

  add(row: number): void {
    if (this.#marks[row] === 0) this.#marks[row] = this.#filter;
  }

  /** Adds each row whose number in the column has 0 in the table. */
  addZeros(column: ArrayLike<number>, table: ArrayLike<number>): void {
    const marks = this.#marks;
    const filter = this.#filter;
    for (let row = 0; row < marks.length; row++)
      if (table[column[row] as number] === 0 && marks[row] === 0) marks[row] = filter;
  }

  /** Adds each row that has 0 in the column. */
  addZeroRows(column: ArrayLike<number>): void {
    const marks = this.#marks;
    const filter = this.#filter;
    for (let row = 0; row < marks.length; row++) if (column[row] === 0 && marks[row] === 0) marks[row] = filter;
  }
}
