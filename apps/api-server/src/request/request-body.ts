import type { IncomingMessage } from "node:http";
import type { Http2ServerRequest } from "node:http2";
import type { Readable } from "node:stream";
import { requestTooLarge } from "@kintsugi/api";
import { parseTarget } from "./request-path.ts";
import { bodyBytesMax } from "../http/body.ts";

type RawRequest = IncomingMessage | Http2ServerRequest;

/** True when bytes follow the headers of a request; HTTP/2 shows it by its frames, and needs no header for it. */
export function hasBody(raw: RawRequest): boolean {
  if ("stream" in raw) return !raw.stream.endAfterHeaders;
  const { "transfer-encoding": encoding, "content-length": length = "0" } = raw.headers;
  return encoding !== undefined || length !== "0";
}

/** True for a request to a server behind a proxy subresource, which reads the body itself. */
export function isProxied({ raw: { url = "/" } }: { raw: { url?: string | undefined } }): boolean {
  // Nearly all are not, and are not worth a second reading of their path.
  if (!url.startsWith("/api/v1/") || !url.includes("/proxy")) return false;
  try {
    return parseTarget(url).behindProxy !== undefined;
  } catch {
    return false;
  }
}

/** A body that its reader takes as fast as it likes. It is not destroyed with its reader: the client is still to be answered. */
export function unreadBody(raw: RawRequest): AsyncIterable<Uint8Array> {
  return (raw as Readable).iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>;
}

/** All of a body. @throws ApiError RequestEntityTooLarge */
export function readWhole(payload: Readable, contentLength: string | undefined): Promise<Buffer> {
  const tooLarge = () => requestTooLarge(`Request entity too large: limit is ${bodyBytesMax}`);
  if (Number(contentLength ?? 0) > bodyBytesMax) return Promise.reject(tooLarge());
  // An error behind what is read belongs to nobody, and must not end the process.
  payload.on("error", () => {});
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const settle = (action: () => void) => {
      payload.off("data", onData).off("end", onEnd).off("error", onError);
      action();
    };
    const onData = (chunk: Buffer) => {
      bytes += chunk.byteLength;
      if (bytes > bodyBytesMax) settle(() => reject(tooLarge()));
      else chunks.push(chunk);
    };
    const onEnd = () => settle(() => resolve(Buffer.concat(chunks, bytes)));
    const onError = (error: Error) => settle(() => reject(Object.assign(error, { statusCode: 400 })));
    payload.on("data", onData).on("end", onEnd).on("error", onError);
  });
}
