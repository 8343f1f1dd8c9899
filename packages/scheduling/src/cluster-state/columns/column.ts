import type { Taint } from "@kintsugi/api";

// Columns of numbers contain all data that decisions read about every node. A node has a row while
// it is known:
//
//   row          0        1        2
//   node         node-1   node-2   node-3
//   cpu.whole    4000     4000     8000
//   cpu.taken    1200     0        7900
//   taints       0        0        1          number of the set of taints; 0 is the empty set
//   label zone   1        2        0          number of the value; 0 is the absent value
//
// A pass over a column costs a few nanoseconds per node, while a walk over objects costs a hundred.

/** The state of a node that its row shows. */
export interface RowState {
  readonly name: string;
  readonly allocatable: Readonly<Record<string, number>>;
  readonly requested: Readonly<Record<string, number>>;
  readonly scoringRequested: Readonly<Record<string, number>>;
  readonly podCount: number;
  readonly isCordoned: boolean;
  readonly taints: readonly Taint[];
  readonly labels: Readonly<Record<string, string>>;
  readonly images: ReadonlyMap<string, number>;
}

/** One fact of every node, by row. */
export interface NodeColumn {
  /** Makes room for this number of rows; existing rows keep their numbers. */
  grow(rows: number): void;
  /** Call after the node itself has changed. */
  nodeChanged?(row: number, state: RowState): void;
  /** Call after the node's pods have changed. */
  podsChanged?(row: number, state: RowState): void;
}

type Numbers = Float64Array<ArrayBuffer> | Int32Array<ArrayBuffer> | Uint8Array<ArrayBuffer>;

/** Returns the numbers in a column with room for this many rows. */
export function resized<T extends Numbers>(column: T, rows: number): T {
  const larger = new (column.constructor as new (length: number) => T)(rows);
  larger.set(column);
  return larger;
}
