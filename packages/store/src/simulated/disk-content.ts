import type { EngineOperation, KeyRange } from "../disk/disk.ts";

/**
 * The content of a simulated disk. Bytes are never changed in place, so that copies may share them.
 */
export interface DiskContent {
  files: Map<string, Buffer>;
  /** Undefined until the engine was first opened. */
  records: Map<string, Buffer> | undefined;
}

/**
 * Records in key order. A log grows at its end, so the order remains valid until a record is added
 * or removed before the end.
 */
export class RecordMap extends Map<string, Buffer> {
  /** Undefined when it has to be computed again. */
  #order: string[] | undefined = [];

  static of(records: Iterable<readonly [string, Buffer]>): RecordMap {
    const map = new RecordMap();
    for (const [key, bytes] of records) map.set(key, bytes);
    return map;
  }

  override set(key: string, bytes: Buffer): this {
    if (!this.has(key)) {
      const last = this.#order?.at(-1);
      if (this.#order && (last === undefined || last < key)) this.#order.push(key);
      else this.#order = undefined;
    }
    return super.set(key, bytes);
  }

  override delete(key: string): boolean {
    if (!super.delete(key)) return false;
    this.#order = undefined;
    return true;
  }

  override clear(): void {
    super.clear();
    this.#order = [];
  }

  /** The first `limit` keys of the range. */
  page({ from, to }: KeyRange, limit: number): string[] {
    const order = (this.#order ??= [...this.keys()].toSorted());
    const start = lowerBound(order, from);
    const end = Math.min(start + limit, lowerBound(order, to));
    return order.slice(start, end);
  }
}

export function copyOf({ files, records }: DiskContent): DiskContent {
  return { files: new Map(files), records: records && RecordMap.of(records) };
}

/** Returns how many bytes are no longer needed. */
export function applyBatch(content: DiskContent, operations: readonly EngineOperation[]): number {
  const records = (content.records ??= new RecordMap());
  let freedBytes = 0;
  for (const operation of operations) {
    if (operation.type === "put") records.set(operation.key, operation.value as Buffer);
    else {
      freedBytes += operation.key.length + (records.get(operation.key)?.length ?? 0);
      records.delete(operation.key);
    }
  }
  return freedBytes;
}

/** The position of the first key at or above `key`. */
function lowerBound(order: readonly string[], key: string): number {
  let low = 0;
  let high = order.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((order[middle] ?? "") < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
