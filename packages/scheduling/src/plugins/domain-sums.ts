import type { NodeColumns } from "../cluster-state/columns/node-columns.ts";
import type { PodsByNode } from "../cluster-state/counts/pods-by-node.ts";

/** The numbers of one label's domains, and the domain of each row. */
export interface LabelSums {
  /** The number of the label's value for each row; 0 without the label. */
  readonly domains: Int32Array;
  /** A sum for each number of a value; the sum at 0 is not used. */
  readonly sums: Float64Array;
}

/**
 * The same as DomainCounts, by passes over columns. It is valid for one decision, because the
 * numbers of values change with the nodes.
 */
export class DomainSums {
  readonly #columns: NodeColumns;
  readonly #byKey = new Map<string, LabelSums>();

  constructor(columns: NodeColumns) {
    this.#columns = columns;
  }

  /** True if pods were not counted in any domain. */
  get isEmpty(): boolean {
    for (const { sums } of this.#byKey.values())
      for (let number = 1; number < sums.length; number++) if (sums[number] !== 0) return false;
    return true;
  }

  /** Adds `factor` for each pod. */
  add(topologyKey: string, counts: PodsByNode, factor: number): void {
    addByDomain(this.of(topologyKey), counts, { factor });
  }

  /** The sums of a label, which are zero if nothing was added. */
  of(topologyKey: string): LabelSums {
    const known = this.#byKey.get(topologyKey);
    if (known !== undefined) return known;
    const made = emptySums(topologyKey, this.#columns);
    this.#byKey.set(topologyKey, made);
    return made;
  }

  all(): Iterable<LabelSums> {
    return this.#byKey.values();
  }
}

export function emptySums(topologyKey: string, columns: NodeColumns): LabelSums {
  const { numbers, limit } = columns.label(topologyKey);
  return { domains: numbers, sums: new Float64Array(limit) };
}

/** @param onlyRows has a number for each row: 0 if the pods of that row do not count. */
export function addByDomain(
  { domains, sums }: LabelSums,
  counts: PodsByNode,
  { factor = 1, onlyRows }: { factor?: number; onlyRows?: Uint8Array },
): void {
  const { byRow } = counts;
  if (byRow === undefined) {
    for (const [{ row }, count] of counts) {
      if (onlyRows !== undefined && onlyRows[row] === 0) continue;
      const domain = domains[row] as number;
      sums[domain] = (sums[domain] as number) + factor * count;
    }
    return;
  }
  const limit = Math.min(byRow.length, domains.length);
  for (let row = 0; row < limit; row++) {
    const count = byRow[row] as number;
    if (count === 0 || (onlyRows !== undefined && onlyRows[row] === 0)) continue;
    const domain = domains[row] as number;
    sums[domain] = (sums[domain] as number) + factor * count;
  }
}
