import { addCount } from "./add-count.ts";
import type { NodeInfo } from "../node-info.ts";

/** Numbers of pods by node, without nodes whose number is zero. */
export interface PodsByNode extends Iterable<readonly [NodeInfo, number]> {
  /**
   * The same numbers by row, for passes over columns; undefined without columns, or if there are so
   * few nodes that iterating them costs less. Rows beyond its end are zero.
   */
  readonly byRow?: Int32Array | undefined;
}

/** Fewer nodes than this are iterated directly. */
const rowsWorthwhile = 32;

/** Counts that are updated incrementally. */
export class KeptPodsByNode implements PodsByNode {
  readonly #byNode = new Map<NodeInfo, number>();
  #byRow: Int32Array<ArrayBuffer> | undefined;

  /** The number of nodes with a count. */
  get size(): number {
    return this.#byNode.size;
  }

  /** Made at the first request, because most counts are never read by row. */
  get byRow(): Int32Array | undefined {
    if (this.#byRow !== undefined) return this.#byRow;
    if (this.#byNode.size < rowsWorthwhile) return undefined;
    let limit = 0;
    for (const { row } of this.#byNode.keys()) limit = Math.max(limit, row + 1);
    const byRow = new Int32Array(limit);
    for (const [{ row }, count] of this.#byNode) byRow[row] = count;
    this.#byRow = byRow;
    return byRow;
  }

  add(info: NodeInfo, by: number): void {
    addCount(this.#byNode, info, by);
    if (this.#byRow === undefined) return;
    if (info.row >= this.#byRow.length) {
      const larger = new Int32Array(2 * info.row + 1);
      larger.set(this.#byRow);
      this.#byRow = larger;
    }
    this.#byRow[info.row] = (this.#byRow[info.row] ?? 0) + by;
  }

  [Symbol.iterator](): Iterator<readonly [NodeInfo, number]> {
    return this.#byNode.entries();
  }
}
