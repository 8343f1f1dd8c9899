import type { Socket } from "node:net";
import type { Duplex } from "node:stream";

/** Carries bytes both ways until both have ended. An end is passed on; when one breaks, the other is broken as well. */
export function relay(one: Duplex, other: Duplex): void {
  carry(one, other);
  carry(other, one);
}

/** How long a silent connection goes without a sign of life before TCP asks for one; Go's value, which upstream has. */
const keepAliveMs = 15_000;

/** Breaks a connection that has been silent for too long in both directions, or whose other end is no longer there. */
export function breakWhenIdle(socket: Socket, idleTimeoutMs: number): void {
  socket.setKeepAlive(true, keepAliveMs);
  socket.setTimeout(idleTimeoutMs, () => socket.destroy());
}

function carry(from: Duplex, to: Duplex): void {
  from.pipe(to);
  from.on("error", () => to.destroy());
  // What it sent is still written; what it would be sent, nobody reads.
  from.on("close", () => endAndDestroy(to));
}

function endAndDestroy(stream: Duplex): void {
  if (stream.writableFinished || stream.destroyed) stream.destroy();
  else stream.end(() => stream.destroy());
}
