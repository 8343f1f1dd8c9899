import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { Socket } from "node:net";

export type UpgradeAnswer =
  /** The connection belongs to the caller; `head` was already read from it. */
  | { upgraded: true; headers: IncomingHttpHeaders; socket: Socket; head: Buffer }
  /** The server answered without an upgrade; its answer has not been read. */
  | { upgraded: false; response: IncomingMessage };

export interface DialUpgradeOptions {
  /** Aborts the dialing; afterwards the connection belongs to the caller. */
  signal: AbortSignal;
  /**
   * A server that has not answered within this time is considered down. Default 30 s, upstream's
   * time limit for creating streams.
   */
  timeoutMs?: number;
}

/** The time limit for creating the streams (DefaultStreamCreationTimeout). */
const streamCreationTimeoutMs = 30_000;
/**
 * The time that a stream may be silent in both directions (DefaultStreamingConnectionIdleTimeout).
 */
export const streamIdleTimeoutMs = 4 * 60 * 60 * 1000;

/**
 * Sends a request for an upgrade (made by `http.request`, with its headers) and returns its
 * outcome.
 */
export function dialUpgrade(request: ClientRequest, options: DialUpgradeOptions): Promise<UpgradeAnswer> {
  const { signal, timeoutMs = streamCreationTimeoutMs } = options;
  return new Promise((resolve, reject) => {
    const abort = () => request.destroy(signal.reason as Error);
    const settled = () => signal.removeEventListener("abort", abort);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort);
    request.setTimeout(timeoutMs, () => request.destroy(new Error(`no answer within ${timeoutMs / 1000} s`)));
    request.on("error", (error) => {
      settled();
      reject(error);
    });
    request.on("upgrade", (response, socket, head) => {
      settled();
      socket.setTimeout(0);
      // The next owner of the connection listens for its errors; until then, errors must not end
      // the process.
      socket.on("error", () => {});
      resolve({ upgraded: true, headers: response.headers, socket: socket as Socket, head });
    });
    request.on("response", (response) => {
      settled();
      resolve({ upgraded: false, response });
    });
    request.end();
  });
}

/**
 * The headers of an HTTP/1.1 request or answer, one per line, unchanged before an upgraded
 * connection.
 */
export function headerLines(first: string, headers: Readonly<Record<string, string | readonly string[] | undefined>>) {
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    (typeof value === "string" ? [value] : (value ?? [])).map((each) => `${name}: ${each}`),
  );
  return `${[first, ...lines].join("\r\n")}\r\n\r\n`;
}
