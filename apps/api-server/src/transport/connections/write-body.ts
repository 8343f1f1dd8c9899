import type { Writable } from "node:stream";
import type { Clock } from "@kintsugi/clock";

/**
 * A reader that does not read any piece of an answer for this long has ended or is malicious, and
 * would hold the piece, its stream and its descriptor forever. This is upstream's time for a whole
 * request; here a slow reader has it for each piece.
 */
export const stallTimeoutMs = 60_000;
/**
 * A complete answer is written in pieces of this size, each of which a reader of 20 KB a second
 * reads in time.
 */
const pieceBytesMax = 2 ** 20;
/**
 * A smaller answer is written immediately and without a time limit, because it uses less memory
 * than the stream around it.
 */
export const unwatchedBytesMax = 64 * 1024;

export interface WriteBodyOptions {
  clock: Pick<Clock, "after">;
  stallMs: number;
}

/** The part of a socket, or of an HTTP/1.1 or HTTP/2 answer, that sends a body. */
export type BodyWriter = Pick<Writable, "write" | "end" | "destroy" | "on" | "off" | "destroyed" | "writableEnded"> & {
  readonly closed?: boolean;
};

/**
 * Called when the writer no longer accepts data, because the writer has ended or its reader has
 * disconnected.
 */
export function isOver(to: BodyWriter): boolean {
  // An HTTP/2 stream that its client has reset is closed some time before it is destroyed.
  return to.destroyed || to.writableEnded || to.closed === true;
}

/**
 * Writes a body as fast as its reader reads it and ends the writer, so that at most one piece waits
 * in memory. Resolves when all of it was read or the reader has disconnected. A reader that reads
 * nothing for `stallMs` is disconnected.
 */
export async function writeBody(
  to: BodyWriter,
  body: Uint8Array | AsyncIterable<Uint8Array>,
  options: WriteBodyOptions,
): Promise<void> {
  if (body instanceof Uint8Array && body.byteLength <= unwatchedBytesMax) {
    to.end(body);
    return;
  }
  for await (const piece of body instanceof Uint8Array ? piecesOf(body) : body) {
    if (isOver(to)) return;
    if (!to.write(piece)) await untilTaken(to, "drain", options);
  }
  if (isOver(to)) return;
  const finished = untilTaken(to, "finish", options);
  to.end();
  await finished;
}

function* piecesOf(body: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < body.byteLength; at += pieceBytesMax) yield body.subarray(at, at + pieceBytesMax);
}

function untilTaken(to: BodyWriter, event: "drain" | "finish", { clock, stallMs }: WriteBodyOptions): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      timer.cancel();
      to.off(event, done);
      to.off("close", done);
      resolve();
    };
    const timer = clock.after(stallMs, () => {
      to.destroy();
      done();
    });
    to.on(event, done);
    to.on("close", done);
  });
}
