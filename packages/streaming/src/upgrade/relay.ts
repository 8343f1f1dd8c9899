import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { headerLines } from "./dial-upgrade.ts";

/**
 * Carries bytes both ways until both ends have ended. An end is passed on; when one connection
 * breaks, the other is closed as well.
 */
export function relay(one: Duplex, other: Duplex): void {
  carry(one, other);
  carry(other, one);
}

/** One end of an upgraded connection; `head` was already read from it. */
interface UpgradedEnd {
  socket: Duplex;
  head: Uint8Array;
}

/**
 * Answers the client that the protocol changes, with the server's headers, and connects the two
 * ends.
 */
export function joinUpgraded(
  client: UpgradedEnd,
  server: UpgradedEnd & { headers: Parameters<typeof headerLines>[1] },
): void {
  client.socket.write(headerLines("HTTP/1.1 101 Switching Protocols", server.headers));
  if (server.head.byteLength > 0) client.socket.write(server.head);
  if (client.head.byteLength > 0) server.socket.write(client.head);
  relay(client.socket, server.socket);
}

/** TCP probes a connection that was silent for this time, which is Go's and upstream's default. */
const keepAliveMs = 15_000;

/**
 * Closes a connection that has been silent for too long in both directions, or whose peer is
 * unreachable.
 */
export function breakWhenIdle(socket: Socket, idleTimeoutMs: number): void {
  socket.setKeepAlive(true, keepAliveMs);
  socket.setTimeout(idleTimeoutMs, () => socket.destroy());
}

function carry(from: Duplex, to: Duplex): void {
  from.pipe(to);
  from.on("error", () => to.destroy());
  // The bytes that the broken end sent are still written; bytes to that end no longer have a
  // reader.
  from.on("close", () => endAndDestroy(to));
}

function endAndDestroy(stream: Duplex): void {
  if (stream.writableFinished || stream.destroyed) stream.destroy();
  else stream.end(() => stream.destroy());
}
