import { addCount } from "./add-count.ts";
import type { NodeInfo } from "../node-info.ts";

/** Numbers of pods by node, without nodes that have none. */
export interface PodsByNode extends Iterable<readonly [NodeInfo, number]> {
  /**
   * The same numbers by row, for passes over columns; undefined where there are no columns, or so
   * few nodes that a walk over them costs less. Rows beyond its end have none.
   */
  readonly byRow?: Int32Array | undefined;
}

/** Fewer nodes than these are walked over. */
const rowsWorthwhile = 32;

/** Counts that are kept by differences. */
export class KeptPodsByNode implements PodsByNode {
  readonly #byNode = new Map<NodeInfo, number>();
  #byRow: Int32Array<ArrayBuffer> | undefined;

  /** The number of nodes that have any. */
  get size(): number {
    return this.#byNode.size;
  }

  /** Made when it is first requested: of most counts it never is. */
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
