import { StoreCorrupt } from "../store.ts";
import type { Disk, DiskFile } from "../disk/disk.ts";
import { digestOf, digestToHex } from "./digest.ts";

// The file HEAD records the revision that the log must reach. It is outside of LevelDB, because
// LevelDB drops the end of a damaged log without an error. Two slots of 512 bytes are written in
// turn, so that an interrupted write leaves the other slot intact:
//
//   0     kintsugi-store 1 {"sequence":12,"clusterId":…,"revision":5038,"hash":…,"floor":4000}
//         <checksum>⏎
//   4096  kintsugi-store 1 {"sequence":13,…,"revision":5060,…} <checksum>⏎
//
// The slot with the higher sequence is valid. A log ahead of HEAD is allowed (the crash happened
// between the two writes); a log behind HEAD is damaged.

export interface Head {
  readonly clusterId: string;
  readonly historyId: string;
  /** The last revision that may have been acknowledged. */
  readonly revision: number;
  /** The hash of that revision's record, in hexadecimal. */
  readonly hash: string;
  /** The floor of the log when HEAD was written. */
  readonly floor: number;
}

type StoredHead = Head & { readonly sequence: number };

export const headFileName = "HEAD";
const slotBytes = 512;
/** Slots are a page apart, because a disk never tears two pages in one write. */
const slotOffsets = [0, 4096] as const;
/**
 * The format of the log, its records and this file. Incremented when an older program could not
 * read the written data, or would misread the data.
 */
const formatVersion = 1;
const magicWord = "kintsugi-store ";
const magic = `${magicWord}${formatVersion} `;

/** The file HEAD, open for writing. */
export class HeadFile {
  readonly #file: DiskFile;
  #sequence: number;

  private constructor(file: DiskFile, sequence: number) {
    this.#file = file;
    this.#sequence = sequence;
  }

  static async create(disk: Disk, head: Head): Promise<HeadFile> {
    const bytes = Buffer.alloc(slotOffsets[1] + slotBytes, " ");
    encodeSlot({ ...head, sequence: 0 }).copy(bytes, slotOffsets[0]);
    await disk.replaceFile(headFileName, bytes);
    return new HeadFile(await disk.openFile(headFileName, { sync: true }), 0);
  }

  /** @throws StoreCorrupt when neither slot can be read. */
  static async open(disk: Disk, bytes: Uint8Array): Promise<{ file: HeadFile; head: Head }> {
    const head = readHead(bytes);
    return { file: new HeadFile(await disk.openFile(headFileName, { sync: true }), head.sequence), head };
  }

  /** Durable when it resolves. */
  async write(head: Head): Promise<void> {
    this.#sequence++;
    const offset = this.#sequence % 2 === 0 ? slotOffsets[0] : slotOffsets[1];
    await this.#file.overwrite(offset, encodeSlot({ ...head, sequence: this.#sequence }));
  }

  async close(): Promise<void> {
    await this.#file.close();
  }
}

/** @throws StoreCorrupt when neither slot can be read. */
function readHead(bytes: Uint8Array): StoredHead {
  const slots = slotOffsets.map((offset) => decodeSlot(Buffer.from(bytes.subarray(offset, offset + slotBytes))));
  const [first, second] = slots;
  const newest = first && second ? (first.sequence > second.sequence ? first : second) : (first ?? second);
  const otherFormat = newest ? undefined : formatIn(bytes);
  if (otherFormat !== undefined) throw new StoreCorrupt(refusalOf(otherFormat));
  if (!newest) throw new StoreCorrupt("the file HEAD is damaged in both its slots: restore a backup");
  return newest;
}

/** The format that a slot states, if this program does not support it. */
function formatIn(bytes: Uint8Array): number | undefined {
  for (const offset of slotOffsets) {
    const text = Buffer.from(bytes.subarray(offset, offset + slotBytes)).toString("latin1");
    const [, format] = new RegExp(`^${magicWord}(\\d{1,6}) \\{`).exec(text) ?? [];
    if (format !== undefined && Number(format) !== formatVersion) return Number(format);
  }
  return undefined;
}

function refusalOf(format: number): string {
  const what = `the store has format ${format}, and this version of Kintsugi supports format ${formatVersion}`;
  return format > formatVersion
    ? `${what}: a newer version wrote it; continue with that version, or restore a snapshot that was saved before`
    : `${what}: start the last version that supports both once, and then this version`;
}

function encodeSlot(head: StoredHead): Buffer {
  const content = `${magic}${JSON.stringify(head)} `;
  const line = `${content}${digestToHex(digestOf(Buffer.from(content, "latin1")))}\n`;
  const slot = Buffer.alloc(slotBytes, " ");
  slot.write(line, "latin1");
  return slot;
}

function decodeSlot(slot: Buffer): StoredHead | undefined {
  const line = slot.toString("latin1").split("\n", 1)[0] ?? "";
  const content = line.slice(0, line.lastIndexOf(" ") + 1);
  if (!content.startsWith(magic)) return undefined;
  if (digestToHex(digestOf(Buffer.from(content, "latin1"))) !== line.slice(content.length)) return undefined;
  // `encodeSlot` wrote the text, and the checksum protects it, so it has this form.
  return JSON.parse(content.slice(magic.length)) as StoredHead;
}
