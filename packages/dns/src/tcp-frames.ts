import type { Socket } from "node:net";

// Each message over TCP is preceded by its length, in two bytes (RFC 1035 section 4.2.2).

/** The state of a connection after bytes have arrived. */
export interface FrameProgress {
  /** The bytes completed a message. */
  readonly completed: boolean;
  /** A message has begun and is incomplete. */
  readonly isOpen: boolean;
}

/**
 * Calls `onFrame` with each message that arrives, in order. At most one incomplete message of 64
 * KiB is kept.
 */
export function readFrames(
  socket: Socket,
  onFrame: (frame: Buffer) => void,
  onProgress: (progress: FrameProgress) => void = () => {},
): void {
  let rest: Buffer = Buffer.alloc(0);
  socket.on("data", (chunk: Buffer) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let completed = false;
    while (rest.length >= 2) {
      const length = rest.readUInt16BE(0);
      if (rest.length < 2 + length) break;
      completed = true;
      const frame = rest.subarray(2, 2 + length);
      rest = rest.subarray(2 + length);
      onFrame(frame);
    }
    onProgress({ completed, isOpen: rest.length > 0 });
  });
}

export function writeFrame(socket: Socket, message: Buffer): void {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(message.length, 0);
  socket.write(Buffer.concat([length, message]));
}
