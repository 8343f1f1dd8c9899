import type { Taint } from "@kintsugi/api";

// Columns of numbers hold all that decisions read of every node. A node has a row as long as it is
// known:
//
//   row          0        1        2
//   node         node-1   node-2   node-3
//   cpu.whole    4000     4000     8000
//   cpu.taken    1200     0        7900
//   taints       0        0        1          number of the set of taints; 0 is the empty one
//
// A pass over a column costs a few nanoseconds a node, where a walk over objects costs a hundred.

/** The amounts of one resource, by row. */
export interface ResourceColumns {
  /** The allocatable amount of the node. */
  whole: Float64Array;
  /** The sum of the requests of its pods. */
  taken: Float64Array;
  /** The same sum as scores count it: pods without requests have a little. */
  scored: Float64Array;
}

/** The state of a node that its row shows. */
export interface RowState {
  readonly allocatable: Readonly<Record<string, number>>;
  readonly requested: Readonly<Record<string, number>>;
  readonly scoringRequested: Readonly<Record<string, number>>;
  readonly podCount: number;
  readonly isCordoned: boolean;
  readonly taints: readonly Taint[];
}

/** Rows at the start; they are doubled when there are no more. */
const rowsAtFirst = 64;
/**
 * Sets of taints that were ever seen, each once. A cluster has some dozen; where a controller makes
 * up values without end, the numbers begin anew.
 */
const taintSetsMax = 10_000;

export class NodeColumns {
  readonly cpu: ResourceColumns = emptyResource(rowsAtFirst);
  readonly memory: ResourceColumns = emptyResource(rowsAtFirst);
  podsWhole = new Float64Array(rowsAtFirst);
  podsTaken = new Float64Array(rowsAtFirst);
  cordoned = new Uint8Array(rowsAtFirst);
  taintSet = new Int32Array(rowsAtFirst);
  #states: (RowState | undefined)[] = [];
  readonly #free: number[] = [];
  #taintSets: (readonly Taint[])[] = [[]];
  #numberOfTaints = new Map<string, number>([["", 0]]);

  /** The taints behind a number in the column `taintSet`. */
  taintsOf(set: number): readonly Taint[] {
    return this.#taintSets[set] ?? [];
  }

  /** The number of sets of taints; numbers in the column are smaller. */
  get taintSetCount(): number {
    return this.#taintSets.length;
  }

  /** Takes a row for a node. */
  add(state: RowState): number {
    const row = this.#free.pop() ?? this.#states.length;
    this.#states[row] = state;
    if (row >= this.podsWhole.length) this.#grow();
    this.podsChanged(row, state);
    this.nodeChanged(row, state);
    return row;
  }

  remove(row: number): void {
    this.#states[row] = undefined;
    this.#free.push(row);
  }

  /** Call after the node's pods have changed. */
  podsChanged(row: number, { requested, scoringRequested, podCount }: RowState): void {
    this.cpu.taken[row] = requested["cpu"] ?? 0;
    this.cpu.scored[row] = scoringRequested["cpu"] ?? 0;
    this.memory.taken[row] = requested["memory"] ?? 0;
    this.memory.scored[row] = scoringRequested["memory"] ?? 0;
    this.podsTaken[row] = podCount;
  }

  /** Call after the node itself has changed. */
  nodeChanged(row: number, { allocatable, isCordoned, taints }: RowState): void {
    this.cpu.whole[row] = allocatable["cpu"] ?? 0;
    this.memory.whole[row] = allocatable["memory"] ?? 0;
    this.podsWhole[row] = allocatable["pods"] ?? 0;
    this.cordoned[row] = isCordoned ? 1 : 0;
    this.taintSet[row] = this.#numberOf(taints);
  }

  #numberOf(taints: readonly Taint[]): number {
    if (taints.length === 0) return 0;
    const text = textOf(taints);
    const known = this.#numberOfTaints.get(text);
    if (known !== undefined) return known;
    if (this.#taintSets.length >= taintSetsMax) this.#numberTaintsAnew();
    const number = this.#numberOfTaints.get(text) ?? this.#taintSets.push(taints) - 1;
    this.#numberOfTaints.set(text, number);
    return number;
  }

  /** Keeps the sets that nodes have now; where those are too many, each new one does this again. */
  #numberTaintsAnew(): void {
    this.#taintSets = [[]];
    this.#numberOfTaints = new Map([["", 0]]);
    for (const [row, state] of this.#states.entries()) {
      if (state === undefined || state.taints.length === 0) continue;
      const text = textOf(state.taints);
      const number = this.#numberOfTaints.get(text) ?? this.#taintSets.push(state.taints) - 1;
      this.#numberOfTaints.set(text, number);
      this.taintSet[row] = number;
    }
  }

  #grow(): void {
    for (const resource of [this.cpu, this.memory]) {
      resource.whole = doubled(resource.whole);
      resource.taken = doubled(resource.taken);
      resource.scored = doubled(resource.scored);
    }
    this.podsWhole = doubled(this.podsWhole);
    this.podsTaken = doubled(this.podsTaken);
    const cordoned = new Uint8Array(2 * this.cordoned.length);
    cordoned.set(this.cordoned);
    this.cordoned = cordoned;
    const taintSet = new Int32Array(2 * this.taintSet.length);
    taintSet.set(this.taintSet);
    this.taintSet = taintSet;
  }
}

/** The number in a column; rows are those that the columns gave out. */
export function amountAt(column: Float64Array, row: number): number {
  return column[row] as number;
}

function textOf(taints: readonly Taint[]): string {
  return JSON.stringify(taints.map(({ key, value = "", effect }) => [key, value, effect]));
}

function emptyResource(rows: number): ResourceColumns {
  return { whole: new Float64Array(rows), taken: new Float64Array(rows), scored: new Float64Array(rows) };
}

function doubled(column: Float64Array): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(2 * column.length);
  larger.set(column);
  return larger;
}
