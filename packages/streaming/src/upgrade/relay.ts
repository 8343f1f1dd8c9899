import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { headerLines } from "./dial-upgrade.ts";

/**
 * Carries bytes both ways until both have ended. An end is passed on; when one breaks, the other is
 * broken as well.
 */
export function relay(one: Duplex, other: Duplex): void {
  carry(one, other);
  carry(other, one);
}

/** One end of an upgraded connection; `head` was read from it already. */
interface UpgradedEnd {
  socket: Duplex;
  head: Uint8Array;
}

/** Tells a client that the protocol changes as the server's answer says, and joins the two. */
export function joinUpgraded(
  client: UpgradedEnd,
  server: UpgradedEnd & { headers: Parameters<typeof headerLines>[1] },
): void {
  client.socket.write(headerLines("HTTP/1.1 101 Switching Protocols", server.headers));
  if (server.head.byteLength > 0) client.socket.write(server.head);
  if (client.head.byteLength > 0) server.socket.write(client.head);
  relay(client.socket, server.socket);
}

/**
 * How long a silent connection goes without a sign of life before TCP asks for one; Go's value,
 * which upstream has.
 */
const keepAliveMs = 15_000;

/**
 * Breaks a connection that has been silent for too long in both directions, or whose other end is
 * no longer there.
 */
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
