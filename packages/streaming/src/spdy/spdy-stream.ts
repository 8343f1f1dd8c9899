import { Duplex } from "node:stream";
import type { SpdyHeaders } from "./header-block.ts";

/** The calls that a stream makes on its connection. */
export interface SpdyStreamLink {
  send(...args: [streamId: number, bytes: Buffer, fin: boolean, done: (error?: Error | null) => void]): void;
  /** The stream can accept more data. */
  wantsMore(streamId: number): void;
  /** The stream has ended: `cleanly` when both ends have finished. */
  gone(streamId: number, cleanly: boolean): void;
}

/**
 * One stream of a SPDY connection. Ending it sends FIN and leaves the other direction open;
 * destroying it resets the stream.
 */
export class SpdyStream extends Duplex {
  readonly streamId: number;
  readonly headers: SpdyHeaders;
  readonly #link: SpdyStreamLink;
  #remoteFinished = false;
  #localFinished = false;
  #wasReset = false;

  constructor(link: SpdyStreamLink, { streamId, headers }: { streamId: number; headers: SpdyHeaders }) {
    super({ allowHalfOpen: true });
    this.#link = link;
    this.streamId = streamId;
    this.headers = headers;
    // A broken connection is reported to the readers of its streams; a stream without a listener
    // must not end the process.
    this.on("error", () => {});
  }

  /**
   * Accepts bytes from the peer. Returns false when the peer should stop sending until `wantsMore`.
   */
  receive(bytes: Buffer, fin: boolean): boolean {
    if (this.#remoteFinished || this.destroyed) return true;
    const takesMore = bytes.byteLength === 0 || this.push(bytes);
    if (!fin) return takesMore;
    this.#remoteFinished = true;
    this.push(null);
    // Readers of an ended stream never request more, so the stream must not block the other
    // streams.
    this.#link.wantsMore(this.streamId);
    return true;
  }

  /**
   * The peer has reset the stream: earlier bytes can still be read, later writes are dropped. Go's
   * servers reset every stream that has not ended by FIN, which is not an error.
   */
  reset(): void {
    this.#wasReset = true;
    this.#localFinished = true;
    this.receive(Buffer.alloc(0), true);
  }

  /**
   * The connection is lost. A reader that has already received the end of this stream is
   * unaffected.
   */
  lose(because: Error): void {
    if (this.#remoteFinished) this.reset();
    else this.destroy(because);
  }

  override _read(): void {
    this.#link.wantsMore(this.streamId);
  }

  override _write(bytes: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    if (this.#wasReset) done();
    else this.#link.send(this.streamId, bytes, false, done);
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#localFinished = true;
    if (this.#wasReset) done();
    else this.#link.send(this.streamId, Buffer.alloc(0), true, done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#link.gone(this.streamId, this.#localFinished && this.#remoteFinished);
    done(error);
  }
}
