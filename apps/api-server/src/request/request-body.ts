import type { IncomingMessage } from "node:http";
import type { Http2ServerRequest } from "node:http2";
import type { Readable } from "node:stream";

/** The methods of requests whose bodies the server itself reads. */
export const methodsWithBody: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH", "DELETE"]);

type RawRequest = IncomingMessage | Http2ServerRequest;

/**
 * True when the headers of a request announce a body. HTTP/2 announces a body by its frames,
 * without a header.
 */
export function hasBody(raw: RawRequest): boolean {
  if ("stream" in raw) return !raw.stream.endAfterHeaders;
  const { "transfer-encoding": encoding, "content-length": length = "0" } = raw.headers;
  return encoding !== undefined || length !== "0";
}

/**
 * A body that its reader reads at its own pace. It is not destroyed with its reader, because the
 * client still needs an answer.
 */
export function unreadBody(raw: RawRequest): AsyncIterable<Uint8Array> {
  return (raw as Readable).iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>;
}
