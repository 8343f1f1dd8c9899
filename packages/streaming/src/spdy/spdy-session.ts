import type { Duplex } from "node:stream";
import { FrameReader, FrameWriter, type SpdyFrame } from "./frames.ts";
import type { SpdyHeaders } from "./header-block.ts";
import { SpdyError } from "./spdy-error.ts";
import { SpdyStream, type SpdyStreamLink } from "./spdy-stream.ts";

export interface SpdySessionOptions {
  /** The opener of a stream numbers it: clients with odd numbers, servers with even numbers. */
  side: "client" | "server";
  /** Bytes of the connection that were already read, after the answer to the upgrade. */
  head?: Buffer;
  /** Receives the streams that the peer opens; if absent, they are refused. */
  onStream?: (stream: SpdyStream) => void;
}

/**
 * Limit on open streams. A port-forward opens two streams for each connection, and kubectl opens
 * far fewer simultaneously.
 */
const streamsMax = 1000;
/** RST_STREAM's reasons (2.6.3). */
const refusedStream = 3;
const cancel = 5;
/** Longer writes are cut, so that other streams get their turn. */
const pieceBytes = 32 * 1024;

/**
 * A SPDY/3.1 connection as Kubernetes uses it (moby/spdystream): without windows, priorities or
 * pushing. Data that one end does not read blocks the whole connection through TCP.
 */
export class SpdySession {
  readonly #socket: Duplex;
  readonly #options: SpdySessionOptions;
  readonly #reader = new FrameReader();
  readonly #writer = new FrameWriter();
  readonly #streams = new Map<number, SpdyStream>();
  /** Streams that this end opened and that have not been answered. */
  readonly #unanswered = new Map<number, { resolve(): void; reject(error: Error): void }>();
  /** Streams whose readers are slow. */
  readonly #full = new Set<number>();
  #nextStreamId: number;
  #endedBecause: Error | undefined;

  constructor(socket: Duplex, options: SpdySessionOptions) {
    this.#socket = socket;
    this.#options = options;
    this.#nextStreamId = options.side === "client" ? 1 : 2;
  }

  /** Reads until the connection ends, and then resolves, regardless of the cause of the end. */
  run(): Promise<void> {
    const socket = this.#socket;
    socket.on("data", (bytes: Buffer) => this.#receive(bytes));
    socket.on("error", (error: Error) => this.#end(error));
    socket.on("end", () => socket.end());
    const closed = new Promise<void>((resolve) => {
      socket.on("close", () => {
        this.#end(new SpdyError("the connection was closed"));
        resolve();
      });
    });
    const { head } = this.#options;
    if (head !== undefined && head.byteLength > 0) this.#receive(head);
    return closed;
  }

  /**
   * Opens a stream and waits until the peer has accepted it, because bytes sent before are lost.
   * @throws SpdyError
   */
  async openStream(headers: SpdyHeaders): Promise<SpdyStream> {
    if (this.#endedBecause !== undefined) throw this.#endedBecause;
    if (this.#streams.size >= streamsMax) throw new SpdyError(`more than ${streamsMax} streams are open`);
    const streamId = this.#nextStreamId;
    this.#nextStreamId += 2;
    const stream = this.#add(streamId, headers);
    const answered = new Promise<void>((resolve, reject) => this.#unanswered.set(streamId, { resolve, reject }));
    this.#write({ type: "synStream", streamId, headers, fin: false });
    await answered;
    return stream;
  }

  /**
   * Announces that this end does not open further streams, and closes the connection once
   * everything is written.
   */
  close(): void {
    if (this.#endedBecause !== undefined) return;
    this.#write({ type: "goAway", lastStreamId: 0, status: 0 });
    this.#socket.end();
  }

  destroy(): void {
    this.#socket.destroy();
  }

  #receive(bytes: Buffer): void {
    if (this.#endedBecause !== undefined) return;
    try {
      for (const frame of this.#reader.push(bytes)) this.#handle(frame);
    } catch (error) {
      this.#end(error as Error);
      this.#socket.destroy();
    }
  }

  #handle(frame: SpdyFrame): void {
    switch (frame.type) {
      case "synStream":
        return this.#accept(frame);
      case "synReply":
        this.#answered(frame.streamId)?.resolve();
        if (frame.fin) this.#streams.get(frame.streamId)?.receive(Buffer.alloc(0), true);
        return;
      case "headers":
        if (frame.fin) this.#streams.get(frame.streamId)?.receive(Buffer.alloc(0), true);
        return;
      case "data": {
        const stream = this.#streams.get(frame.streamId);
        if (stream === undefined || stream.receive(frame.bytes, frame.fin)) return;
        this.#full.add(frame.streamId);
        this.#socket.pause();
        return;
      }
      case "rstStream": {
        const error = new SpdyError(`the peer reset stream ${frame.streamId} (status ${frame.status})`);
        this.#answered(frame.streamId)?.reject(error);
        const stream = this.#streams.get(frame.streamId);
        this.#streams.delete(frame.streamId);
        stream?.reset();
        return;
      }
      case "ping":
        // A ping with a number of this end is an answer; a client's numbers are odd.
        if ((frame.id & 1) === (this.#options.side === "client" ? 0 : 1)) this.#write(frame);
        return;
      case "goAway":
        return;
    }
  }

  #accept({ streamId, headers, fin }: SpdyFrame & { type: "synStream" }): void {
    const { onStream } = this.#options;
    const isPeers = (streamId & 1) === (this.#options.side === "client" ? 0 : 1) && streamId > 0;
    if (!isPeers || this.#streams.has(streamId)) throw new SpdyError(`stream ${streamId} cannot be opened`);
    if (onStream === undefined || this.#streams.size >= streamsMax) {
      return this.#write({ type: "rstStream", streamId, status: refusedStream });
    }
    const stream = this.#add(streamId, headers);
    this.#write({ type: "synReply", streamId, headers: {}, fin: false });
    if (fin) stream.receive(Buffer.alloc(0), true);
    onStream(stream);
  }

  #add(streamId: number, headers: SpdyHeaders): SpdyStream {
    const stream = new SpdyStream(
      {
        send: (...args) => this.#send(...args),
        wantsMore: (id) => this.#wantsMore(id),
        gone: (id, cleanly) => this.#gone(id, cleanly),
      },
      { streamId, headers },
    );
    this.#streams.set(streamId, stream);
    return stream;
  }

  #send(...[streamId, bytes, fin, done]: Parameters<SpdyStreamLink["send"]>): void {
    if (this.#endedBecause !== undefined) return done(this.#endedBecause);
    let rest = bytes;
    while (rest.byteLength > pieceBytes) {
      this.#write({ type: "data", streamId, bytes: rest.subarray(0, pieceBytes), fin: false });
      rest = rest.subarray(pieceBytes);
    }
    this.#socket.write(this.#writer.encode({ type: "data", streamId, bytes: rest, fin }), done);
  }

  #write(frame: SpdyFrame): void {
    if (this.#endedBecause === undefined && this.#socket.writable) this.#socket.write(this.#writer.encode(frame));
  }

  #wantsMore(streamId: number): void {
    if (this.#full.delete(streamId) && this.#full.size === 0) this.#socket.resume();
  }

  #gone(streamId: number, cleanly: boolean): void {
    if (this.#streams.delete(streamId) && !cleanly) this.#write({ type: "rstStream", streamId, status: cancel });
    this.#wantsMore(streamId);
  }

  #answered(streamId: number): { resolve(): void; reject(error: Error): void } | undefined {
    const waiting = this.#unanswered.get(streamId);
    this.#unanswered.delete(streamId);
    return waiting;
  }

  #end(because: Error): void {
    if (this.#endedBecause !== undefined) return;
    this.#endedBecause = because;
    for (const waiting of this.#unanswered.values()) waiting.reject(because);
    this.#unanswered.clear();
    for (const stream of this.#streams.values()) stream.lose(because);
    this.#streams.clear();
  }
}
