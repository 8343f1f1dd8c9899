import type { Entry, EntryIndex, LoggedChange, LogHead, LogMark } from "@kintsugi/store";

// The log under its prefix, with put(pod/a)@5, put(pod/b)@6, delete(pod/a)@7:
//
//   head                  → the head, whose revision is 7; compared and put by every commit
//   o/pod/b               → revision 6, index, object
//   x/0000000000000007    → pod/a, its index and final state
//   t/0000000017952223115 → a mark; its etcd revision is the position after its commit
//
// A value of `o` and `x` is a line of JSON and the object's bytes.

/** All keys of one log in etcd. */
export class Layout {
  readonly #prefix: string;

  constructor(prefix: string) {
    this.#prefix = `${prefix.replace(/\/+$/, "")}/`;
  }

  get all(): EtcdKeys {
    return rangeOf(this.#prefix);
  }

  get head(): Buffer {
    return this.#key("head");
  }

  get objects(): EtcdKeys {
    return rangeOf(`${this.#prefix}o/`);
  }

  get marks(): EtcdKeys {
    return rangeOf(`${this.#prefix}t/`);
  }

  object(key: string): Buffer {
    return this.#key(`o/${key}`);
  }

  deleted(revision: number): Buffer {
    return this.#key(`x/${digits(revision, revisionDigits)}`);
  }

  /** The final states up to a revision. */
  deletedUpTo(revision: number): EtcdKeys {
    return { key: this.deleted(0), rangeEnd: this.deleted(revision + 1) };
  }

  mark(atMs: number): Buffer {
    return this.#key(`t/${digits(atMs, timeDigits)}`);
  }

  /** The part of a key after the prefix that identifies its form, and the rest. */
  parse(key: Buffer): { form: "head" | "o" | "x" | "t" | undefined; name: string } {
    const text = key.toString("utf8").slice(this.#prefix.length);
    if (text === "head") return { form: "head", name: "" };
    const form = ["o/", "x/", "t/"].find((start) => text.startsWith(start))?.[0] as "o" | "x" | "t" | undefined;
    return { form, name: text.slice(2) };
  }

  #key(rest: string): Buffer {
    return Buffer.from(this.#prefix + rest);
  }
}

export interface EtcdKeys {
  key: Buffer;
  rangeEnd: Buffer;
}

const revisionDigits = 16;
const timeDigits = 19;
const format = 1;

/** The bytes of a head are always the same, because commits compare them. */
export function encodeHead({ clusterId, historyId, historyStart, revision, nonce }: LogHead): Buffer {
  return Buffer.from(JSON.stringify({ format, clusterId, historyId, historyStart, revision, nonce }));
}

/** @throws Error when the value belongs to another program or version. */
export function decodeHead(bytes: Buffer): LogHead {
  const found = parsed<LogHead & { format: number }>(bytes);
  if (found?.format === undefined || typeof found.revision !== "number") {
    throw new Error("the key head under the prefix is not Kintsugi's: choose another --etcd-prefix");
  }
  if (found.format !== format) {
    throw new Error(
      `the store in etcd has format ${found.format}, and this version reads ${format}: start a newer version`,
    );
  }
  const { clusterId, historyId, historyStart, revision, nonce } = found;
  return { clusterId, historyId, historyStart, revision, nonce };
}

export function encodeMark(mark: LogMark): Buffer {
  return Buffer.from(JSON.stringify(mark));
}

export function decodeMark(bytes: Buffer): LogMark {
  return JSON.parse(bytes.toString("utf8")) as LogMark;
}

export function encodeObjectValue({ revision, index, value }: Entry): Buffer {
  return joined({ revision, index }, value);
}

export function encodeDeletedValue({ key, index, value }: LoggedChange): Buffer {
  return joined({ key, index }, value);
}

export function decodeObjectValue(key: string, bytes: Buffer): Entry {
  const { header, value } = split<{ revision: number; index: EntryIndex }>(bytes);
  return { key, revision: header.revision, index: header.index, value };
}

export function decodeDeletedValue(revision: number, bytes: Buffer): Entry {
  const { header, value } = split<{ key: string; index: EntryIndex }>(bytes);
  return { key: header.key, revision, index: header.index, value };
}

function joined(header: object, value: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), value]);
}

/** @throws Error when the bytes differ from the written bytes. */
function split<Header>(bytes: Buffer): { header: Header; value: Uint8Array } {
  const end = bytes.indexOf("\n");
  const header = end < 0 ? undefined : parsed<Header>(bytes.subarray(0, end));
  if (header === undefined) throw new Error("a value of the store in etcd differs from the written value");
  // The value is copied because a view of the message would retain the whole message.
  const value = Buffer.allocUnsafeSlow(bytes.length - end - 1);
  bytes.copy(value, 0, end + 1);
  return { header, value };
}

function parsed<T>(bytes: Buffer): T | undefined {
  try {
    return JSON.parse(bytes.toString("utf8")) as T;
  } catch {
    return undefined;
  }
}

function rangeOf(prefix: string): EtcdKeys {
  // Prefixes end with a slash, so the next string of the same length ends with a zero.
  return { key: Buffer.from(prefix), rangeEnd: Buffer.from(`${prefix.slice(0, -1)}0`) };
}

function digits(value: number, length: number): string {
  return String(value).padStart(length, "0");
}
