import { Duplex } from "node:stream";
import { type FrameType, frameTypes } from "./frame.ts";

/**
 * The bytes that one direction of a stream may have on their way: as many as a fast reader takes in
 * a turn of the event loop, so that a slow reader holds little memory in both processes.
 */
const windowBytes = 256 * 1024;
/** The memory of a piece besides its bytes, which limits the number of very small pieces. */
const pieceCostBytes = 128;

type Callback = (error?: Error | null) => void;

/**
 * A stream of bytes over a link. A reader that does not read stops its sender. The reader gets all
 * bytes that were sent before the sender's end or failure, as over TCP.
 */
export class LinkStream extends Duplex {
  readonly #send: (type: FrameType, payload?: readonly Uint8Array[]) => void;
  #credit = windowBytes;
  /** The bytes that the reader has and for which the sender has no new credit yet. */
  #owed = 0;
  /** The pieces that were received and that the reader has not asked for. */
  readonly #unread: Buffer[] = [];
  #isAwaited = false;
  /** The end or the failure that follows the unread pieces. */
  #ending: "end" | Error | undefined;
  #waiting: { bytes: Uint8Array; callback: Callback } | undefined;
  #isBrokenByPeer = false;
  /** The worker sends the request's body in this stream. */
  isPumped = false;

  constructor({ send }: { send: (type: FrameType, payload?: readonly Uint8Array[]) => void }) {
    super({
      // A message of a WebSocket is one piece, so pieces are not joined.
      readableObjectMode: true,
      // Pieces differ in length, so the limit of unread bytes is the sender's credit.
      readableHighWaterMark: 1,
      writableHighWaterMark: windowBytes / 2,
    });
    this.#send = send;
    // A broken stream ends its reader and its writer, which handle the error.
    this.on("error", () => {});
  }

  receive(bytes: Buffer): void {
    if (this.destroyed || this.#ending !== undefined) return;
    this.#unread.push(this.#isAwaited ? bytes : ownBytes(bytes));
    this.#passOn();
  }

  receiveEnd(): void {
    this.#ending ??= "end";
    this.#passOn();
  }

  addCredit(bytes: number): void {
    this.#credit += bytes;
    const waiting = this.#waiting;
    if (waiting === undefined) return;
    this.#waiting = undefined;
    this.#sendBytes(waiting.bytes, waiting.callback);
  }

  /** The peer has destroyed its end, and discards what is written from now on. */
  breakOff(reason: Error): void {
    this.#isBrokenByPeer = true;
    this.#ending ??= reason;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (this.#ending === "end") this.once("end", () => this.destroy());
    this.#passOn();
    waiting?.callback();
  }

  /** Resolves when the stream accepts more bytes, or is closed. */
  untilDrained(): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        this.off("drain", done);
        this.off("close", done);
        resolve();
      };
      this.on("drain", done);
      this.on("close", done);
    });
  }

  override _read(): void {
    this.#isAwaited = true;
    this.#passOn();
  }

  override _write(bytes: Uint8Array, _encoding: BufferEncoding, callback: Callback): void {
    this.#sendBytes(bytes, callback);
  }

  override _final(callback: Callback): void {
    this.#send(frameTypes.end);
    callback();
  }

  override _destroy(error: Error | null, callback: Callback): void {
    const isComplete = this.writableFinished && this.readableEnded;
    if (!isComplete && !this.#isBrokenByPeer) {
      this.#send(frameTypes.broken, [Buffer.from(error?.message ?? "the reader has ended")]);
    }
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.callback(error);
    callback(error);
  }

  /** Sends a piece as a whole, which may exceed the credit once. */
  #sendBytes(bytes: Uint8Array, callback: Callback): void {
    if (this.#isBrokenByPeer) return callback();
    if (this.#credit <= 0) {
      this.#waiting = { bytes, callback };
      return;
    }
    this.#credit -= bytes.byteLength + pieceCostBytes;
    this.#send(frameTypes.data, [bytes]);
    callback();
  }

  /** Gives the reader the pieces that it asks for, and then the end. */
  #passOn(): void {
    while (this.#isAwaited && this.#unread.length > 0) {
      const bytes = this.#unread.shift() as Buffer;
      this.#isAwaited = this.push(bytes);
      this.#owed += bytes.byteLength + pieceCostBytes;
      this.#grant();
    }
    if (this.#ending === undefined || this.#unread.length > 0 || this.destroyed) return;
    if (this.#ending === "end") this.push(null);
    else if (this.readableLength === 0) this.destroy(this.#ending);
  }

  #grant(): void {
    // Small grants would double the number of frames.
    if (this.#owed < windowBytes / 4) return;
    const credit = Buffer.allocUnsafe(4);
    credit.writeUInt32LE(this.#owed);
    this.#owed = 0;
    this.#send(frameTypes.credit, [credit]);
  }
}

/** A small piece does not keep the bytes of other streams that arrived with it. */
function ownBytes(bytes: Buffer): Buffer {
  if (bytes.byteLength * 4 >= bytes.buffer.byteLength) return bytes;
  const own = Buffer.allocUnsafeSlow(bytes.byteLength);
  bytes.copy(own);
  return own;
}
