import { strict as assert } from "node:assert";
import { type EntryIndex, StoreCorrupt } from "../store.ts";
import type { Arena } from "./arena.ts";
import { type Digest, digestBytes, digestOf, readDigest, writeDigest } from "./digest.ts";

// The log on disk, in LevelDB. After put(pod/a)@5, put(pod/a)@7, delete(pod/a)@9, put(pod/b)@10:
//
//   rev/0000000000000005 → put pod/a, previous of key 0
//   rev/0000000000000007 → put pod/a, previous of key 5
//   rev/0000000000000009 → delete pod/a, previous of key 7
//   rev/0000000000000010 → put pod/b, previous of key 0
//
// compact(8) removes 5 only, because 7 is not superseded up to 8. compact(9) removes 5, 7 and
// the tombstone 9.
//
// One record. Numbers are big-endian, and each "length" is the length of a later part:
//
//   offset  0       1     2         10               18
//           format  type  revision  previous of key  hash of previous record
//           u8      u8    u64       u64              16 bytes
//
//   offset  34          36            40            44
//           key length  index length  value length  key   index  value  hash
//           u16         u32           u32           utf8  JSON   bytes  16 bytes
//
// `hash` covers everything before it. It is the record's checksum, and the next record repeats it,
// which forms the chain.

export interface LogRecord {
  readonly type: "put" | "delete";
  readonly revision: number;
  /** The revision that this record supersedes; 0 when the key did not exist. */
  readonly previousOfKey: number;
  /** The hash of the record at `revision - 1`. */
  readonly previousHash: Digest;
  readonly key: string;
  readonly index: EntryIndex;
  readonly value: Uint8Array;
}

const format = 1;
const fixedBytes = 44;
const typeCodes = { put: 1, delete: 2 } as const;
const revisionDigits = 16;

export function recordKey(revision: number): string {
  return `rev/${String(revision).padStart(revisionDigits, "0")}`;
}

/** The exclusive end of the keys of all records. */
export const recordKeysEnd = "rev0";

/** The record as it is stored, in memory of the arena, and its hash. */
export function encodeRecord(record: LogRecord, arena: Arena): { bytes: Buffer; hash: Digest } {
  const index = JSON.stringify(record.index);
  const keyBytes = Buffer.byteLength(record.key, "utf8");
  const indexBytes = Buffer.byteLength(index, "utf8");
  const valueBytes = record.value.byteLength;
  const end = fixedBytes + keyBytes + indexBytes + valueBytes;
  const bytes = arena.take(end + digestBytes);
  bytes[0] = format;
  bytes[1] = typeCodes[record.type];
  writeRevision(bytes, 2, record.revision);
  writeRevision(bytes, 10, record.previousOfKey);
  assert(record.previousHash.length === digestBytes, `the hash before revision ${record.revision} has a wrong length`);
  writeDigest(bytes, 18, record.previousHash);
  bytes.writeUInt16BE(keyBytes, 34);
  bytes.writeUInt32BE(indexBytes, 36);
  bytes.writeUInt32BE(valueBytes, 40);
  bytes.write(record.key, fixedBytes, "utf8");
  bytes.write(index, fixedBytes + keyBytes, "utf8");
  bytes.set(record.value, fixedBytes + keyBytes + indexBytes);
  const hash = digestOf(bytes.subarray(0, end));
  writeDigest(bytes, end, hash);
  return { bytes, hash };
}

/**
 * Checks that the value under `key` is a record of its revision, complete and as it was written,
 * without reading its content.
 * @throws StoreCorrupt naming the record.
 */
export function checkRecord(key: string, bytes: Buffer): { revision: number; hash: Digest } {
  const end = bytes.length - digestBytes;
  if (end < fixedBytes) throw corrupt(key, `has only ${bytes.length} bytes`);
  const hash = readDigest(bytes, end);
  if (digestOf(bytes.subarray(0, end)) !== hash) throw corrupt(key, "does not match its checksum");
  if (bytes[0] !== format) throw corrupt(key, `has the unknown format ${bytes[0]}: a newer version wrote it`);
  const revision = readRevision(bytes, 2);
  if (recordKey(revision) !== key) throw corrupt(key, `holds revision ${revision}`);
  return { revision, hash };
}

/**
 * Reads and checks the value under `key`.
 * @throws StoreCorrupt naming the record.
 */
export function decodeRecord(key: string, bytes: Buffer): { record: LogRecord; hash: Digest } {
  const { revision, hash } = checkRecord(key, bytes);
  const end = bytes.length - digestBytes;
  const indexStart = fixedBytes + bytes.readUInt16BE(34);
  const valueStart = indexStart + bytes.readUInt32BE(36);
  if (valueStart + bytes.readUInt32BE(40) !== end) throw corrupt(key, "has lengths that do not add up");
  const record: LogRecord = {
    type: typeOf(key, bytes),
    revision,
    previousOfKey: readRevision(bytes, 10),
    previousHash: readDigest(bytes, 18),
    key: bytes.toString("utf8", fixedBytes, indexStart),
    // `encodeRecord` wrote the text, and the checksum protects it, so it has this form.
    index: JSON.parse(bytes.toString("utf8", indexStart, valueStart)) as EntryIndex,
    value: bytes.subarray(valueStart, end),
  };
  return { record, hash };
}

/** The data on disk differs from the written data. The error names the record. */
export function corrupt(key: string, what: string): StoreCorrupt {
  return new StoreCorrupt(`record ${key} ${what}: the data on disk was changed or lost; restore a backup`);
}

function typeOf(key: string, bytes: Buffer): "put" | "delete" {
  switch (bytes[1]) {
    case typeCodes.put:
      return "put";
    case typeCodes.delete:
      return "delete";
    default:
      throw corrupt(key, `has the unknown type ${bytes[1]}`);
  }
}

function writeRevision(bytes: Buffer, at: number, revision: number): void {
  // Revisions stay below 2^53.
  bytes.writeUInt32BE(Math.floor(revision / 2 ** 32), at);
  bytes.writeUInt32BE(revision % 2 ** 32, at + 4);
}

export function readRevision(bytes: Buffer, at: number): number {
  return bytes.readUInt32BE(at) * 2 ** 32 + bytes.readUInt32BE(at + 4);
}
