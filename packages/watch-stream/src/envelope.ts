import { strict as assert } from "node:assert";

// A message on the bus. The fixed part is first, then the three names, then the object up to the
// end:
//
//   0       1     2         10              18          26      28
//   format  type  revision  prevOfResource  prevOfNode  length  historyId ⏎ namespace ⏎ name
//   u8      u8    u64       u64             u64         u16     object…
//
// Marks have names and revisions as a JSON object in place of a change's object, and their count in
// place of the revision. The format is binary because each message is read by every informer: 0.4
// µs to read and 0.9 µs to write, compared with 0.6 and 1.6 with a JSON header.

/** The relay's message about one committed change, or about all resources. */
export type BusMessage = ChangeMessage | MarksMessage;

export interface ChangeMessage {
  readonly type: "put" | "delete";
  readonly historyId: string;
  readonly revision: number;
  /** The revision of the previous change of the resource; 0 if it was unknown. */
  readonly previousOfResource: number;
  /**
   * The revision of the previous change of the resource that belonged to the same node; 0 if it was
   * unknown.
   */
  readonly previousOfNode: number;
  readonly namespace: string;
  readonly name: string;
  /** Absent for changes that are sent with key and revision only. */
  readonly object?: Uint8Array;
}

interface MarksMessage {
  readonly type: "marks";
  readonly historyId: string;
  /** The last revision that changed each resource, by `markKey`. */
  readonly revisions: Revisions;
}

type Revisions = Readonly<Record<string, number>>;

/** Returns the key of a resource in marks. @param group "" for core. */
export function markKey(group: string, resource: string): string {
  return `${group}/${resource}`;
}

/** The message has another format, or a newer format. */
export class MalformedMessage extends Error {
  override readonly name = "MalformedMessage";
}

const format = 1;
const types = ["put", "delete", "marks"] as const;
const fixedBytes = 28;

export function encodeMessage(message: BusMessage): Uint8Array {
  const change = message.type === "marks" ? marksAsChange(message) : message;
  // The name is last, so a line break in the name is harmless. The history's ID and the namespace
  // cannot contain line breaks.
  const names = `${message.historyId}\n${change.namespace}\n${change.name}`;
  const namesBytes = Buffer.byteLength(names, "utf8");
  assert(namesBytes <= 0xffff, `the name of ${change.name.slice(0, 100)}… is too long for a message`);
  const object = change.object ?? none;
  const bytes = Buffer.allocUnsafe(fixedBytes + namesBytes + object.byteLength);
  bytes[0] = format;
  bytes[1] = types.indexOf(message.type) + 1;
  writeRevision(bytes, 2, change.revision);
  writeRevision(bytes, 10, change.previousOfResource);
  writeRevision(bytes, 18, change.previousOfNode);
  bytes.writeUInt16BE(namesBytes, 26);
  bytes.write(names, fixedBytes, "utf8");
  bytes.set(object, fixedBytes + namesBytes);
  return bytes;
}

/** @throws MalformedMessage. */
export function decodeMessage(payload: Uint8Array): BusMessage {
  const bytes = Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength);
  if (bytes.length < fixedBytes) throw new MalformedMessage(`a message of ${bytes.length} bytes is too short`);
  if (bytes[0] !== format) throw new MalformedMessage(`unknown message format ${bytes[0]}`);
  const type = types[bytes.readUInt8(1) - 1];
  if (type === undefined) throw new MalformedMessage(`unknown message type ${bytes[1]}`);
  const revision = readRevision(bytes, 2);
  const end = fixedBytes + bytes.readUInt16BE(26);
  if (end > bytes.length) throw new MalformedMessage(`a message of ${bytes.length} bytes is too short`);
  const names = splitNames(bytes.toString("utf8", fixedBytes, end));
  if (type === "marks")
    return { type, historyId: names.historyId, revisions: parseMarks(bytes.subarray(end), revision) };
  return {
    type,
    ...names,
    revision,
    previousOfResource: readRevision(bytes, 10),
    previousOfNode: readRevision(bytes, 18),
    // An object has at least its braces, so an empty string means that the object was not sent.
    ...(end < bytes.length ? { object: bytes.subarray(end) } : {}),
  };
}

function splitNames(names: string): { historyId: string; namespace: string; name: string } {
  const first = names.indexOf("\n");
  const second = names.indexOf("\n", first + 1);
  if (first < 0 || second < 0) throw new MalformedMessage("a message has too few names");
  return { historyId: names.slice(0, first), namespace: names.slice(first + 1, second), name: names.slice(second + 1) };
}

/** Revisions stay below 2^53, so 21 bits and 32 bits can represent a revision. */
function writeRevision(bytes: Buffer, at: number, revision: number): void {
  bytes.writeUInt32BE(Math.floor(revision / 2 ** 32), at);
  bytes.writeUInt32BE(revision >>> 0, at + 4);
}

function readRevision(bytes: Buffer, at: number): number {
  return bytes.readUInt32BE(at) * 2 ** 32 + bytes.readUInt32BE(at + 4);
}

const none = new Uint8Array(0);

function marksAsChange({ revisions }: MarksMessage) {
  const object = Buffer.from(JSON.stringify(revisions));
  return {
    revision: Object.keys(revisions).length,
    namespace: "",
    name: "",
    previousOfResource: 0,
    previousOfNode: 0,
    object,
  };
}

/** @param count the number of marks, which reveals a cut-off end. */
function parseMarks(bytes: Buffer, count: number): Revisions {
  let marks: Readonly<Record<string, unknown>>;
  let keys: string[];
  try {
    marks = JSON.parse(bytes.toString("utf8")) as typeof marks;
    keys = Object.keys(marks);
  } catch (error) {
    throw new MalformedMessage("marks that are not JSON", { cause: error });
  }
  if (keys.length !== count) throw new MalformedMessage(`${keys.length} marks where ${count} were announced`);
  for (const key of keys) {
    if (!Number.isSafeInteger(marks[key])) throw new MalformedMessage(`the mark of ${key} is not a revision`);
  }
  return marks as Revisions;
}
