import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { Http2ServerRequest } from "node:http2";
import { type ApiError, badRequest, requestTooLarge } from "@kintsugi/api";
import { bodyBytesMax } from "./body-limits.ts";

type RawRequest = IncomingMessage | Http2ServerRequest;

/**
 * Reads the whole body of a request. `take` is called with the number of bytes that are about to be
 * stored, and may throw to reject them. When `refused` aborts, the bytes are no longer stored.
 * @throws ApiError RequestEntityTooLarge, BadRequest when the body ends early, and the errors of
 * `take`, and the reason of `refused`.
 */
export function readBody(
  request: RawRequest,
  take: (bytes: number) => void,
  refused?: AbortSignal,
): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const announced = announcedBytes(request.headers);
    if (announced !== undefined && announced > bodyBytesMax) return reject(bodyTooLarge());
    if (announced !== undefined) take(announced);
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    const fail = (error: Error) => {
      request.off("data", keep);
      // The request lasts until its client ends it, and its listeners keep the array.
      chunks.length = 0;
      // The rest of the body is read and discarded, so that the connection is not blocked by it.
      request.resume();
      reject(error);
    };
    const keep = (chunk: Uint8Array) => {
      bytes += chunk.byteLength;
      if (bytes > bodyBytesMax) return fail(bodyTooLarge());
      try {
        if (announced === undefined) take(chunk.byteLength);
      } catch (error) {
        return fail(error as Error);
      }
      chunks.push(chunk);
    };
    // Every request closes after its body has ended, so the error is made only when it is needed.
    const breakOff = () => fail(bodyBrokeOff());
    refused?.addEventListener("abort", () => fail(refused.reason as Error), { once: true });
    request.on("data", keep);
    request.once("end", () => {
      request.off("close", breakOff);
      resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks));
    });
    // The error of a client that has disconnected is not a fault of this server.
    request.once("error", breakOff);
    request.once("close", breakOff);
  });
}

/**
 * Reports whether an unread body may be discarded on arrival, so that the next request of its
 * connection can be read.
 */
export function endsSoon(request: IncomingMessage): boolean {
  const announced = announcedBytes(request.headers);
  return request.complete || (announced !== undefined && announced <= bodyBytesMax);
}

/** Returns the length of a body that its headers announce. */
export function announcedBytes(headers: Readonly<IncomingHttpHeaders>): number | undefined {
  const text = headers["content-length"];
  if (text !== undefined) return Number(text);
  // A body requires one of the two headers in HTTP/1.1; HTTP/2 requires neither.
  return headers[":method"] === undefined && headers["transfer-encoding"] === undefined ? 0 : undefined;
}

export function bodyBrokeOff(): ApiError {
  return badRequest("the body of the request broke off");
}

function bodyTooLarge() {
  return requestTooLarge(`Request entity too large: limit is ${bodyBytesMax}`);
}
