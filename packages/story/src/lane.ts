import type { Bar } from "./bar.ts";

type NodeState = "ready" | "notReady" | "silent" | "gone";

export interface NodeSpan {
  readonly fromMs: number;
  readonly state: NodeState;
  readonly isCordoned: boolean;
  /** Taints with the effect NoExecute are on the node: its pods have to go. */
  readonly evicts: boolean;
}

/** A node with its pods; the lane "" has the pods that wait for a node. */
export interface Lane {
  readonly node: string;
  readonly spans: readonly NodeSpan[];
  /** Bars are in the order in which they began. */
  readonly bars: readonly Bar[];
  /** The number of rows that any bar has used; it never becomes smaller. */
  readonly rows: number;
}

/**
 * A row is used again only this long after its last bar ended: an ended pod stays readable beside
 * its successor.
 */
const rowRestMs = 60_000;
/** A kubelet runs at most some hundred pods; more rows are only used by pods that came and went. */
const rowsMax = 500;

/** Gives rows to bars: the topmost that has rested, else a new one, else the most rested. */
export class Rows {
  /** The end of the last bar of each row; Infinity while one is there. */
  readonly #freeFromMs: number[] = [];

  get count(): number {
    return this.#freeFromMs.length;
  }

  take(atMs: number): number {
    const rested = this.#freeFromMs.findIndex((freeMs) => freeMs + rowRestMs <= atMs);
    const row = rested >= 0 ? rested : this.count < rowsMax ? this.count : this.#longestFree();
    this.#freeFromMs[row] = Infinity;
    return row;
  }

  free(row: number, atMs: number): void {
    this.#freeFromMs[row] = atMs;
  }

  #longestFree(): number {
    return this.#freeFromMs.indexOf(Math.min(...this.#freeFromMs));
  }
}
