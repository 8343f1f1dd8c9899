import { Duplex } from "node:stream";
import { type FrameType, frameTypes } from "./frame.ts";

/**
 * The bytes that one direction of a stream may have on their way: as many as a fast reader takes in
 * a turn of the event loop, so that a slow reader holds little memory in both processes.
 */
const windowBytes = 256 * 1024;
/** A reader that leaves more pieces unread gives its sender no new credit. */
const unreadPiecesMax = 64;

type Callback = (error?: Error | null) => void;

/** A stream of bytes over a link. A reader that does not read stops its sender. */
export class LinkStream extends Duplex {
  readonly #send: (type: FrameType, payload?: readonly Uint8Array[]) => void;
  #credit = windowBytes;
  /** The bytes that were received and for which the sender has no new credit yet. */
  #owed = 0;
  #waiting: { bytes: Uint8Array; callback: Callback } | undefined;
  #isBrokenByPeer = false;
  /** The worker sends the request's body in this stream. */
  isPumped = false;

  constructor({ send }: { send: (type: FrameType, payload?: readonly Uint8Array[]) => void }) {
    super({
      // A message of a WebSocket is one piece, so pieces are not joined.
      readableObjectMode: true,
      readableHighWaterMark: unreadPiecesMax,
      writableHighWaterMark: windowBytes / 2,
    });
    this.#send = send;
    // A broken stream ends its reader and its writer, which handle the error.
    this.on("error", () => {});
  }

  receive(bytes: Buffer): void {
    if (this.destroyed) return;
    this.#owed += bytes.byteLength;
    if (this.push(bytes)) this.#grant();
  }

  receiveEnd(): void {
    if (!this.destroyed) this.push(null);
  }

  addCredit(bytes: number): void {
    this.#credit += bytes;
    const waiting = this.#waiting;
    if (waiting === undefined) return;
    this.#waiting = undefined;
    this.#sendBytes(waiting.bytes, waiting.callback);
  }

  /** The peer has destroyed its end. */
  breakOff(message: string): void {
    this.#isBrokenByPeer = true;
    this.destroy(new Error(message));
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
    this.#grant();
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
    if (this.#credit <= 0) {
      this.#waiting = { bytes, callback };
      return;
    }
    this.#credit -= bytes.byteLength;
    this.#send(frameTypes.data, [bytes]);
    callback();
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
