import { CordonColumn, ImageColumn, PodColumn, ResourceColumn } from "./amount-columns.ts";
import type { NodeColumn, RowState } from "./column.ts";
import { LabelColumn } from "./label-column.ts";
import { RecentColumns } from "./recent-columns.ts";
import { TaintColumn } from "./taint-column.ts";

/** Rows at the start; their number is doubled when they are used up. */
const rowsAtFirst = 64;
/**
 * Limit on columns. Pods name labels, resources and images freely; pods of one template use a few
 * columns of each kind.
 */
const columnsMax = { labels: 32, resources: 32, images: 64 };

/** All columns, and their common rows. */
export class NodeColumns {
  readonly #states: (RowState | undefined)[] = [];
  readonly #free: number[] = [];
  #rows = rowsAtFirst;
  readonly cpu = new ResourceColumn("cpu", rowsAtFirst);
  readonly memory = new ResourceColumn("memory", rowsAtFirst);
  readonly pods = new PodColumn(rowsAtFirst);
  readonly cordon = new CordonColumn(rowsAtFirst);
  readonly taints = new TaintColumn(this.#states, rowsAtFirst);
  readonly #always: readonly NodeColumn[] = [this.cpu, this.memory, this.pods, this.cordon, this.taints];
  readonly #labels = this.#recent((key) => new LabelColumn(key, this.#rows), columnsMax.labels);
  readonly #resources = this.#recent((name) => new ResourceColumn(name, this.#rows), columnsMax.resources);
  readonly #images = this.#recent((image) => new ImageColumn(image, this.#rows), columnsMax.images);

  /** The exclusive upper bound of the row numbers; some of the rows may be unused. */
  get limit(): number {
    return this.#states.length;
  }

  label(key: string): LabelColumn {
    return this.#labels.get(key);
  }

  resource(name: string): ResourceColumn {
    if (name === "cpu") return this.cpu;
    return name === "memory" ? this.memory : this.#resources.get(name);
  }

  /** @param image has to be named with a tag or digest. */
  image(image: string): ImageColumn {
    return this.#images.get(image);
  }

  /** The name of the node that has the row; undefined for an unused row. */
  nameOf(row: number): string | undefined {
    return this.#states[row]?.name;
  }

  /** Allocates a row for a node. */
  add(state: RowState): number {
    const row = this.#free.pop() ?? this.#states.length;
    this.#states[row] = state;
    if (row >= this.#rows) {
      this.#rows *= 2;
      for (const column of this.#all()) column.grow(this.#rows);
    }
    this.podsChanged(row, state);
    this.nodeChanged(row, state);
    return row;
  }

  remove(row: number): void {
    this.#states[row] = undefined;
    this.#free.push(row);
  }

  /** Call after the node's pods have changed. */
  podsChanged(row: number, state: RowState): void {
    for (const column of this.#always) column.podsChanged?.(row, state);
    for (const column of this.#resources) column.podsChanged(row, state);
  }

  /** Call after the node itself has changed. */
  nodeChanged(row: number, state: RowState): void {
    for (const column of this.#all()) column.nodeChanged?.(row, state);
  }

  *#all(): Generator<NodeColumn, void> {
    yield* this.#always;
    yield* this.#labels;
    yield* this.#resources;
    yield* this.#images;
  }

  /** A column that is made while nodes are known begins with the nodes' states. */
  #recent<C extends NodeColumn>(make: (name: string) => C, max: number): RecentColumns<C> {
    const filled = (name: string): C => {
      const column = make(name);
      for (const [row, state] of this.#states.entries()) {
        if (state === undefined) continue;
        column.nodeChanged?.(row, state);
        column.podsChanged?.(row, state);
      }
      return column;
    };
    return new RecentColumns(filled, { max });
  }
}
