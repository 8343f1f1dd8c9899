import { constants, type Http2ServerRequest, type Http2Session, type ServerHttp2Stream } from "node:http2";
import type { Clock } from "@kintsugi/clock";

/**
 * Thrown by a handler, or by the body of its answer, when the process that would have answered has
 * died: the client gets no answer, and its connection is reset.
 */
export class ConnectionCut extends Error {
  constructor() {
    super("connection reset");
  }
}

interface Streams {
  readonly open: Set<ServerHttp2Stream>;
  readonly cut: Set<ServerHttp2Stream>;
}

/**
 * Cuts requests of HTTP/2. A connection is reset when all its requests were cut; where another
 * request still waits for its answer, only the streams of the cut requests end.
 */
export class CutStreams {
  readonly #clock: Pick<Clock, "after">;
  readonly #bySession = new WeakMap<Http2Session, Streams>();

  constructor(deps: { clock: Pick<Clock, "after"> }) {
    this.#clock = deps.clock;
  }

  add({ stream }: Http2ServerRequest): void {
    const { session } = stream;
    if (session === undefined) return;
    const streams = this.#bySession.get(session) ?? { open: new Set(), cut: new Set() };
    this.#bySession.set(session, streams);
    streams.open.add(stream);
    stream.once("close", () => {
      streams.open.delete(stream);
      streams.cut.delete(stream);
    });
  }

  /** @param reset resets the connection. */
  cut({ stream }: Http2ServerRequest, reset: () => void): void {
    const { session } = stream;
    const streams = session && this.#bySession.get(session);
    if (session === undefined || streams === undefined) return reset();
    streams.cut.add(stream);
    // The requests of one connection are cut one after the other.
    this.#clock.after(0, () => {
      if (session.destroyed || stream.closed) return;
      if ([...streams.open].every((each) => streams.cut.has(each))) return reset();
      stream.close(constants.NGHTTP2_INTERNAL_ERROR);
      session.close();
    });
  }
}
