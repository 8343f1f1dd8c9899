import { type NodeColumn, resized, type RowState } from "./column.ts";

/** The amounts of one resource, by row. */
export class ResourceColumn implements NodeColumn {
  readonly #resource: string;
  /** The allocatable amount of the node. */
  whole: Float64Array<ArrayBuffer>;
  /** The sum of the requests of its pods. */
  taken: Float64Array<ArrayBuffer>;
  /** The sum of the requests for scores, in which pods without requests count a little. */
  scored: Float64Array<ArrayBuffer>;

  constructor(resource: string, rows: number) {
    this.#resource = resource;
    this.whole = new Float64Array(rows);
    this.taken = new Float64Array(rows);
    this.scored = new Float64Array(rows);
  }

  grow(rows: number): void {
    this.whole = resized(this.whole, rows);
    this.taken = resized(this.taken, rows);
    this.scored = resized(this.scored, rows);
  }

  nodeChanged(row: number, { allocatable }: RowState): void {
    this.whole[row] = allocatable[this.#resource] ?? 0;
  }

  podsChanged(row: number, { requested, scoringRequested }: RowState): void {
    this.taken[row] = requested[this.#resource] ?? 0;
    this.scored[row] = scoringRequested[this.#resource] ?? 0;
  }
}

/** The number of pods that a node has, and its limit on pods, by row. */
export class PodColumn implements NodeColumn {
  whole: Float64Array<ArrayBuffer>;
  taken: Float64Array<ArrayBuffer>;

  constructor(rows: number) {
    this.whole = new Float64Array(rows);
    this.taken = new Float64Array(rows);
  }

  grow(rows: number): void {
    this.whole = resized(this.whole, rows);
    this.taken = resized(this.taken, rows);
  }

  nodeChanged(row: number, { allocatable }: RowState): void {
    this.whole[row] = allocatable["pods"] ?? 0;
  }

  podsChanged(row: number, { podCount }: RowState): void {
    this.taken[row] = podCount;
  }
}

/** The bytes of one image on a node, by row; 0 where the node does not have the image. */
export class ImageColumn implements NodeColumn {
  readonly #image: string;
  bytes: Float64Array<ArrayBuffer>;

  constructor(image: string, rows: number) {
    this.#image = image;
    this.bytes = new Float64Array(rows);
  }

  grow(rows: number): void {
    this.bytes = resized(this.bytes, rows);
  }

  nodeChanged(row: number, { images }: RowState): void {
    this.bytes[row] = images.get(this.#image) ?? 0;
  }
}

/** 1 for unschedulable nodes. */
export class CordonColumn implements NodeColumn {
  cordoned: Uint8Array<ArrayBuffer>;

  constructor(rows: number) {
    this.cordoned = new Uint8Array(rows);
  }

  grow(rows: number): void {
    this.cordoned = resized(this.cordoned, rows);
  }

  nodeChanged(row: number, { isCordoned }: RowState): void {
    this.cordoned[row] = isCordoned ? 1 : 0;
  }
}
