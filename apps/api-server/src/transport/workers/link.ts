import type { Duplex } from "node:stream";
import { setImmediate } from "node:timers";
import { ConnectionCut } from "../connections/connection-cut.ts";
import { type LinkFrame, frameHeader, LinkFrameReader, type FrameType, frameTypes } from "./frame.ts";
import { LinkStream } from "./link-stream.ts";

/** The file descriptor by which a worker is connected to the store's owner. */
export const linkDescriptor = 4;

/** The frames that a link does not handle itself. */
export type FrameHandler = (frame: LinkFrame) => void;

const noBytes: readonly Uint8Array[] = [];

/**
 * One end of the connection between the store's owner and an HTTP worker. Both ends trust each
 * other: they are processes of one server.
 */
export class Link {
  readonly #socket: Duplex;
  readonly #streams = new Map<number, LinkStream>();
  #isFlushing = false;
  onFrame: FrameHandler = () => {};

  constructor(socket: Duplex) {
    this.#socket = socket;
    const reader = new LinkFrameReader((frame) => this.#receive(frame));
    socket.on("data", (chunk: Buffer) => reader.push(chunk));
    socket.on("error", () => {});
    socket.once("close", () => {
      for (const stream of this.#streams.values()) stream.breakOff(new ConnectionCut());
    });
  }

  /** Resolves when the process at the other end has ended. */
  get closed(): Promise<void> {
    if (this.#socket.destroyed) return Promise.resolve();
    return new Promise((resolve) => this.#socket.once("close", () => resolve()));
  }

  get isClosed(): boolean {
    return this.#socket.destroyed;
  }

  /** The bytes that the process at the other end has not taken yet. */
  get unsentBytes(): number {
    return this.#socket.writableLength;
  }

  /** Closes the link once the other process has all frames that were sent. */
  end(): void {
    this.#socket.end();
  }

  close(): void {
    this.#socket.destroy();
  }

  /** The frames of one turn of the event loop are sent together. */
  send(type: FrameType, request: number, payload = noBytes): void {
    if (this.#socket.destroyed || this.#socket.writableEnded) return;
    if (!this.#isFlushing) {
      this.#isFlushing = true;
      this.#socket.cork();
      setImmediate(() => {
        this.#isFlushing = false;
        this.#socket.uncork();
      });
    }
    let bytes = 0;
    for (const part of payload) bytes += part.byteLength;
    this.#socket.write(frameHeader({ type, request }, bytes));
    for (const part of payload) this.#socket.write(part);
  }

  /** Returns the stream of a request if the request has one. */
  openStream(request: number): LinkStream | undefined {
    return this.#streams.get(request);
  }

  /** Returns the stream of a request, in both directions. */
  stream(request: number): LinkStream {
    let stream = this.#streams.get(request);
    if (stream === undefined) {
      stream = new LinkStream({ send: (type, payload) => this.send(type, request, payload) });
      this.#streams.set(request, stream);
      stream.once("close", () => this.#streams.delete(request));
      if (this.isClosed) stream.breakOff(new ConnectionCut());
    }
    return stream;
  }

  #receive(frame: LinkFrame): void {
    const { type, request, payload } = frame;
    switch (type) {
      case frameTypes.data:
        return this.#streams.get(request)?.receive(payload);
      case frameTypes.end:
        return this.#streams.get(request)?.receiveEnd();
      case frameTypes.credit:
        return this.#streams.get(request)?.addCredit(payload.readUInt32LE(0));
      case frameTypes.broken:
        return this.#streams.get(request)?.breakOff(new Error(payload.toString("utf8")));
      default:
        return this.onFrame(frame);
    }
  }
}
