import { HeaderPacker, HeaderUnpacker, type SpdyHeaders } from "./header-block.ts";
import { SpdyError } from "./spdy-error.ts";

// Every frame begins with eight bytes.
//
//   control:  1 | version (15 bits) | type (16) | flags (8) | length (24)   then `length` bytes
//   data:     0 | stream (31 bits)              | flags (8) | length (24)   then `length` bytes
//                                                                           of the stream
//
// Flag 1 is FIN: the sender will not write to that stream again. `echo hi | kubectl exec -i` is,
// towards the runtime:
//   SYN_STREAM 1 {streamtype: error} … SYN_STREAM 3 {streamtype: stdin} … DATA 3 "hi
// " … DATA 3 FIN ""

export type SpdyFrame =
  | { type: "synStream"; streamId: number; headers: SpdyHeaders; fin: boolean }
  | { type: "synReply"; streamId: number; headers: SpdyHeaders; fin: boolean }
  | { type: "headers"; streamId: number; headers: SpdyHeaders; fin: boolean }
  | { type: "rstStream"; streamId: number; status: number }
  | { type: "ping"; id: number }
  | { type: "goAway"; lastStreamId: number; status: number }
  | { type: "data"; streamId: number; bytes: Buffer; fin: boolean };

const version = 3;
const headBytes = 8;
const finFlag = 1;
const types = { synStream: 1, synReply: 2, rstStream: 3, ping: 6, goAway: 7, headers: 8 } as const;
/**
 * Limit on a control frame, which is kept in memory until it is complete; Kubernetes' frames have a
 * few hundred bytes.
 */
const controlBytesMax = 64 * 1024;
/** The largest value of a data frame's length field. */
const dataBytesMax = 0xff_ffff;

/** Writes the frames of one direction of a connection, in their order. */
export class FrameWriter {
  readonly #packer = new HeaderPacker();

  encode(frame: SpdyFrame): Buffer {
    switch (frame.type) {
      case "data":
        return encodeData(frame);
      case "synStream": {
        // The stream number is followed by the associated stream, its priority and a slot, which
        // Kubernetes does not use.
        const body = Buffer.concat([uint32s(frame.streamId, 0), Buffer.alloc(2), this.#packer.pack(frame.headers)]);
        return control(types.synStream, frame.fin, body);
      }
      case "synReply":
      case "headers": {
        const body = Buffer.concat([uint32s(frame.streamId), this.#packer.pack(frame.headers)]);
        return control(types[frame.type], frame.fin, body);
      }
      case "rstStream":
        return control(types.rstStream, false, uint32s(frame.streamId, frame.status));
      case "ping":
        return control(types.ping, false, uint32s(frame.id));
      case "goAway":
        return control(types.goAway, false, uint32s(frame.lastStreamId, frame.status));
    }
  }
}

/** Reads the frames of one direction of a connection, however its bytes are cut. */
export class FrameReader {
  readonly #unpacker = new HeaderUnpacker();
  #pending: Buffer = Buffer.alloc(0);
  /**
   * The incomplete data frame at the end of the bytes: a long data frame is passed on in pieces.
   */
  #open: { streamId: number; left: number; fin: boolean } | undefined;

  /** @throws SpdyError */
  push(bytes: Buffer): SpdyFrame[] {
    let rest = this.#pending.byteLength === 0 ? bytes : Buffer.concat([this.#pending, bytes]);
    const frames: SpdyFrame[] = [];
    for (;;) {
      if (this.#open !== undefined) {
        const taken = rest.subarray(0, this.#open.left);
        const frame = this.#takeData(this.#open, taken);
        if (frame === undefined) break;
        frames.push(frame);
        rest = rest.subarray(taken.byteLength);
      } else {
        const size = this.#sizeOfNext(rest);
        if (size === undefined) break;
        if (size === "data") {
          this.#open = dataHead(rest);
          rest = rest.subarray(headBytes);
          continue;
        }
        const frame = this.#readControl(rest.subarray(0, size));
        if (frame !== undefined) frames.push(frame);
        rest = rest.subarray(size);
      }
    }
    // The rest is copied so that a few bytes do not retain a whole chunk.
    this.#pending = Buffer.from(rest);
    return frames;
  }

  #takeData(open: { streamId: number; left: number; fin: boolean }, taken: Buffer): SpdyFrame | undefined {
    if (taken.byteLength === 0 && open.left > 0) return undefined;
    open.left -= taken.byteLength;
    const isWhole = open.left === 0;
    if (isWhole) this.#open = undefined;
    return { type: "data", streamId: open.streamId, bytes: taken, fin: isWhole && open.fin };
  }

  #sizeOfNext(bytes: Buffer): number | "data" | undefined {
    if (bytes.byteLength < headBytes) return undefined;
    if (((bytes[0] ?? 0) & 0x80) === 0) return "data";
    const length = bytes.readUIntBE(5, 3);
    if (length > controlBytesMax) throw new SpdyError(`a control frame of ${length} bytes is too long`);
    return bytes.byteLength < headBytes + length ? undefined : headBytes + length;
  }

  /**
   * Undefined for frames that are ignored here: settings and windows, since TCP itself throttles a
   * fast sender.
   */
  #readControl(frame: Buffer): SpdyFrame | undefined {
    if ((frame.readUInt16BE(0) & 0x7fff) !== version) throw new SpdyError("the peer does not speak SPDY/3");
    const fin = ((frame[4] ?? 0) & finFlag) !== 0;
    const body = frame.subarray(headBytes);
    const field = (index: number) => {
      if (body.byteLength < (index + 1) * 4) throw new SpdyError("a control frame is too short");
      return body.readUInt32BE(index * 4) & 0x7fff_ffff;
    };
    switch (frame.readUInt16BE(2)) {
      case types.synStream:
        field(2 - 1);
        return { type: "synStream", streamId: field(0), headers: this.#unpacker.unpack(body.subarray(10)), fin };
      case types.synReply:
        return { type: "synReply", streamId: field(0), headers: this.#unpacker.unpack(body.subarray(4)), fin };
      case types.headers:
        return { type: "headers", streamId: field(0), headers: this.#unpacker.unpack(body.subarray(4)), fin };
      case types.rstStream:
        return { type: "rstStream", streamId: field(0), status: field(1) };
      case types.ping:
        field(0);
        return { type: "ping", id: body.readUInt32BE(0) };
      case types.goAway:
        return { type: "goAway", lastStreamId: field(0), status: field(1) };
      default:
        return undefined;
    }
  }
}

function dataHead(bytes: Buffer): { streamId: number; left: number; fin: boolean } {
  return { streamId: bytes.readUInt32BE(0), left: bytes.readUIntBE(5, 3), fin: ((bytes[4] ?? 0) & finFlag) !== 0 };
}

function encodeData({ streamId, bytes, fin }: SpdyFrame & { type: "data" }): Buffer {
  if (bytes.byteLength > dataBytesMax) throw new SpdyError(`${bytes.byteLength} bytes do not fit into one frame`);
  const head = Buffer.alloc(headBytes);
  head.writeUInt32BE(streamId, 0);
  head[4] = fin ? finFlag : 0;
  head.writeUIntBE(bytes.byteLength, 5, 3);
  return Buffer.concat([head, bytes]);
}

function control(type: number, fin: boolean, body: Buffer): Buffer {
  const head = Buffer.alloc(headBytes);
  head.writeUInt16BE(0x8000 | version, 0);
  head.writeUInt16BE(type, 2);
  head[4] = fin ? finFlag : 0;
  head.writeUIntBE(body.byteLength, 5, 3);
  return Buffer.concat([head, body]);
}

function uint32s(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  values.forEach((value, index) => bytes.writeUInt32BE(value, index * 4));
  return bytes;
}
