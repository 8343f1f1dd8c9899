/**
 * The messages between the store's owner and an HTTP worker. Each message belongs to a request,
 * whose number the worker chose. A message about the connection itself has the number 0. The worker
 * sends the types below 16, the owner sends those from 16 to 31, and both send the other types.
 */
export const frameTypes = {
  /** JSON `RequestHead`, and the body if it is short. */
  request: 1,
  /** The whole body, after `readBody`. */
  body: 2,
  /** The number of bytes of the body that are about to be stored. */
  bodyBytes: 3,
  /** JSON `Fault`: the body cannot be read. */
  bodyFault: 4,
  /** The client has disconnected. */
  gone: 5,
  /** JSON `NumberedUser`. */
  user: 6,
  /** JSON `RelayedMeasurement[]`. */
  measurements: 7,
  /** JSON `ResponseHead`, and the body if it is whole. */
  response: 16,
  /** The owner reads the whole body. */
  readBody: 17,
  /** JSON `Fault`: the owner does not store the body's bytes, and the worker discards the body. */
  refuseBody: 18,
  /** The owner reads the body as a stream. */
  streamBody: 19,
  /** The worker sends `gone` when the client disconnects. */
  followClient: 20,
  /** The name of the authenticated client. */
  caller: 21,
  /** The connection of the client is reset, without a response. */
  cut: 22,
  /** Bytes of the request's stream. */
  data: 32,
  /** The stream's sender has sent all bytes. */
  end: 33,
  /** The stream has failed, or its reader does not read the rest. */
  broken: 34,
  /** The number of further bytes that the stream's sender may send. */
  credit: 35,
} as const;

export type FrameType = (typeof frameTypes)[keyof typeof frameTypes];

export interface LinkFrame {
  readonly type: FrameType;
  readonly request: number;
  readonly payload: Buffer;
}

/** Length of the payload (4 bytes), type (1) and number of the request (4). */
const headerBytes = 9;

/**
 * A whole response is one frame. The largest responses are lists of one page and documents; a
 * longer frame is a fault of the sender.
 */
export const payloadBytesMax = 256 * 2 ** 20;

export function frameHeader({ type, request }: Pick<LinkFrame, "type" | "request">, payloadBytes: number): Buffer {
  if (payloadBytes > payloadBytesMax) throw new RangeError(`a frame of ${payloadBytes} bytes is too long`);
  const header = Buffer.allocUnsafe(headerBytes);
  header.writeUInt32LE(payloadBytes, 0);
  header.writeUInt8(type, 4);
  header.writeUInt32LE(request, 5);
  return header;
}

/** Cuts the bytes of a connection into frames. */
export class LinkFrameReader {
  readonly #onFrame: (frame: LinkFrame) => void;
  /** The bytes of an incomplete frame, in pieces, so that a long frame is joined once. */
  #pieces: Buffer[] = [];
  #bytes = 0;
  #wanted = headerBytes;

  constructor(onFrame: (frame: LinkFrame) => void) {
    this.#onFrame = onFrame;
  }

  /** @throws RangeError for a frame that is too long. */
  push(chunk: Buffer): void {
    this.#pieces.push(chunk);
    this.#bytes += chunk.byteLength;
    if (this.#bytes < this.#wanted) return;
    const whole = this.#pieces.length === 1 ? chunk : Buffer.concat(this.#pieces);
    let at = 0;
    for (;;) {
      this.#wanted = at + headerBytes;
      if (whole.byteLength < this.#wanted) break;
      const length = whole.readUInt32LE(at);
      if (length > payloadBytesMax) throw new RangeError(`a frame of ${length} bytes is too long`);
      this.#wanted += length;
      if (whole.byteLength < this.#wanted) break;
      this.#onFrame({
        type: whole.readUInt8(at + 4) as FrameType,
        request: whole.readUInt32LE(at + 5),
        payload: whole.subarray(at + headerBytes, this.#wanted),
      });
      at = this.#wanted;
    }
    const rest = whole.subarray(at);
    this.#pieces = rest.byteLength === 0 ? [] : [rest];
    this.#bytes = rest.byteLength;
    this.#wanted -= at;
  }
}

/** A payload of JSON alone. */
export function jsonBytes(value: unknown): Uint8Array[] {
  return [Buffer.from(JSON.stringify(value))];
}

export function jsonOf<Value>(payload: Buffer): Value {
  return JSON.parse(payload.toString("utf8")) as Value;
}

/** A payload of JSON, followed by bytes: the JSON's length (4 bytes) is first. */
export function headAndBytes(head: unknown, bytes?: Uint8Array): Uint8Array[] {
  const json = Buffer.from(JSON.stringify(head));
  const length = Buffer.allocUnsafe(4);
  length.writeUInt32LE(json.byteLength);
  return bytes === undefined || bytes.byteLength === 0 ? [length, json] : [length, json, bytes];
}

export function readHeadAndBytes<Head>(payload: Buffer): { head: Head; bytes: Buffer } {
  const end = 4 + payload.readUInt32LE(0);
  return { head: JSON.parse(payload.toString("utf8", 4, end)) as Head, bytes: payload.subarray(end) };
}
