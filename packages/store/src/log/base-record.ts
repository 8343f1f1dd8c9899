import { StoreCorrupt } from "../store.ts";
import { type Digest, digestBytes, digestFromHex, digestOf, digestToHex, readDigest } from "./digest.ts";
import { corrupt } from "./record.ts";

// A compaction leaves the base record, so that opening can verify the records up to the floor
// without the removed records. There is exactly one base record, `base/<floor, 16 digits>`; the
// batch that writes it deletes its predecessor and the superseded records:
//
//   format u8 | JSON { floor, historyStart, hash, count, sum, floors } | hash over all of that
//                                                                        16 bytes

/** The state of the log at its floor. */
export interface Base {
  /** The revision up to which only live records remain; every later record is kept. */
  readonly floor: number;
  /**
   * The history begins at this revision: 0, or the revision from which a restored backup continues.
   * Changes before it cannot be replayed.
   */
  readonly historyStart: number;
  /**
   * The hash of the record at the floor, with which the chain continues, even when that record no
   * longer exists.
   */
  readonly hash: Digest;
  /** The number of remaining records up to the floor, all of them live. */
  readonly count: number;
  /** The sum of their hashes. */
  readonly sum: Digest;
  /** The newest change of each resource that can no longer be replayed. */
  readonly floors: ReadonlyMap<string, number>;
}

const format = 1;

export function baseKey(floor: number): string {
  return `base/${String(floor).padStart(16, "0")}`;
}

export const baseKeysStart = "base/";
export const baseKeysEnd = "base0";

export function encodeBase(base: Base): Buffer {
  const json = JSON.stringify({
    floor: base.floor,
    historyStart: base.historyStart,
    hash: digestToHex(base.hash),
    count: base.count,
    sum: digestToHex(base.sum),
    floors: Object.fromEntries(base.floors),
  });
  const content = Buffer.concat([Buffer.from([format]), Buffer.from(json, "utf8")]);
  return Buffer.concat([content, Buffer.from(digestOf(content), "latin1")]);
}

/** @throws StoreCorrupt naming the record. */
export function decodeBase(key: string, bytes: Buffer): Base {
  const end = bytes.length - digestBytes;
  if (end < 1 || digestOf(bytes.subarray(0, end)) !== readDigest(bytes, end)) {
    throw corrupt(key, "does not match its checksum");
  }
  if (bytes[0] !== format)
    throw new StoreCorrupt(`record ${key} has the unknown format ${bytes[0]}: a newer version wrote it`);
  // `encodeBase` wrote the text, and the checksum protects it, so it has this form.
  const stored = JSON.parse(bytes.toString("utf8", 1, end)) as StoredBase;
  if (baseKey(stored.floor) !== key) throw corrupt(key, `holds floor ${stored.floor}`);
  return {
    floor: stored.floor,
    historyStart: stored.historyStart,
    hash: digestFromHex(stored.hash),
    count: stored.count,
    sum: digestFromHex(stored.sum),
    floors: new Map(Object.entries(stored.floors)),
  };
}

interface StoredBase {
  floor: number;
  historyStart: number;
  hash: string;
  count: number;
  sum: string;
  floors: Record<string, number>;
}
