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
  /** The rows that any bar has used; there never become fewer. */
  readonly rows: readonly Row[];
}

/** The times of a row's last bar, by which a drawing folds rows whose bars have ended. */
export interface Row {
  /** The beginning of the last bar. */
  readonly takenMs: number;
  /** Its end; Infinity while its pod exists. */
  readonly freeMs: number;
  /** The end of the bar before it; -Infinity for the first one. */
  readonly restedMs: number;
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
  readonly #rows: { takenMs: number; freeMs: number; restedMs: number }[] = [];

  get all(): readonly Row[] {
    return this.#rows;
  }

  take(atMs: number): number {
    const rested = this.#rows.findIndex(({ freeMs }) => freeMs + rowRestMs <= atMs);
    const index = rested >= 0 ? rested : this.#rows.length < rowsMax ? this.#rows.length : this.#longestFree();
    const restedMs = this.#rows[index]?.freeMs ?? -Infinity;
    this.#rows[index] = { takenMs: atMs, freeMs: Infinity, restedMs };
    return index;
  }

  free(index: number, atMs: number): void {
    const row = this.#rows[index];
    if (row !== undefined) row.freeMs = atMs;
  }

  #longestFree(): number {
    const ends = this.#rows.map(({ freeMs }) => freeMs);
    return ends.indexOf(Math.min(...ends));
  }
}
