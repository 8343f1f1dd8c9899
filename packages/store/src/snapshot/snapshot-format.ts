import { strict as assert } from "node:assert";
import { Arena } from "../log/arena.ts";
import { type Digest, digestBytes, digestOf, DigestSum, digestZero } from "../log/digest.ts";
import { decodeRecord, encodeRecord, type LogRecord, readRevision, recordKey } from "../log/record.ts";
import { type Store, StoreCorrupt } from "../store.ts";
import { plainValues, type StoredValues } from "../stored-values.ts";

// A snapshot: every live object at one revision, in one stream.
//
//   kintsugi-snapshot 1 {"clusterId":…,"historyId":…,"revision":5038,"count":2}⏎
//   length u32, record as in the log, its previous hash all zeros        … `count` times
//   0 u32, sum of the records' hashes, 16 bytes, hash over the first line and the sum, 16 bytes

export interface SnapshotHeader {
  readonly clusterId: string;
  /** The history from which the snapshot was taken; a restored store begins another history. */
  readonly historyId: string;
  readonly revision: number;
  readonly count: number;
}

const magic = "kintsugi-snapshot 1 ";
const chunkBytes = 64 * 1024;
const headerBytesMax = 4096;
/** Objects are at most as large as a request, 3 MiB; a larger number is not a length. */
const recordBytesMax = 64 * 2 ** 20;

/**
 * All objects at the present revision, despite writes while the stream is read. Their values are
 * encoded as on the disk.
 */
export async function* exportSnapshot(store: Store, values: StoredValues = plainValues): AsyncGenerator<Uint8Array> {
  const { entries, revision } = store.list("");
  const { clusterId, historyId } = store;
  const header: SnapshotHeader = { clusterId, historyId, revision, count: entries.length };
  const line = Buffer.from(`${magic}${JSON.stringify(header)}\n`, "utf8");
  const arena = new Arena();
  const sum = new DigestSum();
  let parts: Buffer[] = [line];
  let partsBytes = line.length;
  for (const { key, revision: at, value, index } of entries) {
    const record = {
      type: "put",
      revision: at,
      previousOfKey: 0,
      previousHash: digestZero,
      key,
      index,
      value: values.seal(key, value),
    } as const;
    const { bytes, hash } = encodeRecord(record, arena);
    sum.add(hash);
    parts.push(lengthOf(bytes), bytes);
    partsBytes += bytes.length;
    if (partsBytes < chunkBytes) continue;
    yield Buffer.concat(parts);
    arena.reset();
    parts = [];
    partsBytes = 0;
  }
  yield Buffer.concat([...parts, lengthOf(Buffer.alloc(0)), closing(line, sum.toDigest())]);
}

export interface SnapshotReader {
  readonly header: SnapshotHeader;
  /** The records for the log. The end is reached only when all of them have been verified. */
  records(): AsyncGenerator<{ key: string; bytes: Buffer; record: LogRecord; hash: Digest }>;
}

/** @throws StoreCorrupt when it is not a snapshot. */
export async function readSnapshot(chunks: AsyncIterable<Uint8Array>): Promise<SnapshotReader> {
  const input = new ChunkReader(chunks);
  const line = await input.line(headerBytesMax);
  if (!line.toString("latin1").startsWith(magic)) throw new StoreCorrupt("this is not a Kintsugi snapshot");
  const header = parseHeader(line);
  return { header, records: () => readRecords(input, line, header) };
}

async function* readRecords(input: ChunkReader, line: Buffer, header: SnapshotHeader) {
  const sum = new DigestSum();
  let count = 0;
  for (let length = await input.length(); length > 0; length = await input.length()) {
    if (length > recordBytesMax) throw new StoreCorrupt(`the snapshot is damaged after its record ${count}`);
    const bytes = await input.bytes(length);
    const key = recordKey(revisionIn(bytes));
    const { record, hash } = decodeProven(key, bytes, `record ${count + 1} of ${header.count}`);
    sum.add(hash);
    count++;
    yield { key, bytes, record, hash };
  }
  const end = await input.bytes(2 * digestBytes);
  if (count !== header.count || !end.equals(closing(line, sum.toDigest()))) {
    throw new StoreCorrupt(`the snapshot is damaged: it has ${count} records of ${header.count}, or wrong records`);
  }
}

function decodeProven(key: string, bytes: Buffer, which: string): { record: LogRecord; hash: Digest } {
  try {
    return decodeRecord(key, bytes);
  } catch (cause) {
    if (!(cause instanceof StoreCorrupt)) throw cause;
    throw new StoreCorrupt(`the snapshot is damaged in ${which}, ${key}: use another snapshot`, { cause });
  }
}

function parseHeader(line: Buffer): SnapshotHeader {
  try {
    // The hash at the end of the snapshot verifies this line.
    return JSON.parse(line.toString("utf8", magic.length)) as SnapshotHeader;
  } catch (cause) {
    throw new StoreCorrupt("the first line of the snapshot is damaged", { cause });
  }
}

/** Reads the revision that a record states; its hash proves the revision. */
function revisionIn(bytes: Buffer): number {
  return bytes.length >= 10 ? readRevision(bytes, 2) : 0;
}

function closing(line: Buffer, sum: Digest): Buffer {
  const sumBytes = Buffer.from(sum, "latin1");
  return Buffer.concat([sumBytes, Buffer.from(digestOf(Buffer.concat([line, sumBytes])), "latin1")]);
}

function lengthOf(bytes: Buffer): Buffer {
  const length = Buffer.allocUnsafe(4);
  length.writeUInt32BE(bytes.length);
  return length;
}

/** Cuts a stream of chunks into the parts that its reader requests. */
class ChunkReader {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #rest = Buffer.alloc(0);

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  async line(bytesMax: number): Promise<Buffer> {
    for (;;) {
      const end = this.#rest.indexOf("\n");
      if (end >= 0) return this.#take(end + 1);
      if (this.#rest.length > bytesMax || !(await this.#more()))
        throw new StoreCorrupt("this is not a Kintsugi snapshot");
    }
  }

  async length(): Promise<number> {
    return (await this.bytes(4)).readUInt32BE(0);
  }

  async bytes(length: number): Promise<Buffer> {
    while (this.#rest.length < length) if (!(await this.#more())) throw new StoreCorrupt("the snapshot ends too early");
    return this.#take(length);
  }

  async #more(): Promise<boolean> {
    const next = await this.#chunks.next();
    if (next.done) return false;
    this.#rest = Buffer.concat([this.#rest, next.value]);
    return true;
  }

  #take(length: number): Buffer {
    assert(length <= this.#rest.length, `only ${this.#rest.length} of ${length} bytes are present`);
    const taken = this.#rest.subarray(0, length);
    this.#rest = this.#rest.subarray(length);
    return taken;
  }
}
