import type { Bar } from "./bar.ts";

type NodeState = "ready" | "notReady" | "silent" | "gone";

export interface NodeSpan {
  readonly fromMs: number;
  readonly state: NodeState;
  readonly isCordoned: boolean;
  /** The node has taints with the effect NoExecute, so its pods are evicted. */
  readonly evicts: boolean;
}

/** A node with its pods; the lane "" has the pods that wait for a node. */
export interface Lane {
  readonly node: string;
  readonly spans: readonly NodeSpan[];
  /** Bars are in the order in which they began. */
  readonly bars: readonly Bar[];
  /** The rows that any bar has used; their number never decreases. */
  readonly rows: readonly Row[];
  /** Counts the changes of the rows, so that a drawing can keep what it computed from them. */
  readonly rowChanges: number;
}

/** The times of a row's last bar, by which a drawing folds rows whose bars have ended. */
export interface Row {
  /** The beginning of the last bar. */
  readonly takenMs: number;
  /** The end of the last bar; Infinity while its pod exists. */
  readonly freeMs: number;
  /** The end of the row's previous bar; -Infinity for the first bar. */
  readonly restedMs: number;
}

/**
 * Time after which a row is used again after its last bar ended, so that an ended pod remains
 * readable next to its successor.
 */
const rowRestMs = 60_000;
/**
 * A kubelet runs at most several hundred pods; only pods that were created and removed use more
 * rows.
 */
const rowsMax = 500;

/**
 * Assigns rows to bars: the topmost row that has rested, otherwise a new row, otherwise the row
 * that has rested longest.
 */
export class Rows {
  readonly #rows: { takenMs: number; freeMs: number; restedMs: number }[] = [];
  #changes = 0;

  get changes(): number {
    return this.#changes;
  }

  get all(): readonly Row[] {
    return this.#rows;
  }

  take(atMs: number): number {
    const rested = this.#rows.findIndex(({ freeMs }) => freeMs + rowRestMs <= atMs);
    const index = rested >= 0 ? rested : this.#rows.length < rowsMax ? this.#rows.length : this.#longestFree();
    const restedMs = this.#rows[index]?.freeMs ?? -Infinity;
    this.#changes++;
    this.#rows[index] = { takenMs: atMs, freeMs: Infinity, restedMs };
    return index;
  }

  free(index: number, atMs: number): void {
    const row = this.#rows[index];
    if (row === undefined) return;
    this.#changes++;
    row.freeMs = atMs;
  }

  #longestFree(): number {
    const ends = this.#rows.map(({ freeMs }) => freeMs);
    return ends.indexOf(Math.min(...ends));
  }
}
