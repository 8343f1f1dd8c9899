import type { IncomingMessage } from "node:http";
import type { Http2ServerRequest } from "node:http2";
import { badRequest, requestTooLarge } from "@kintsugi/api";
import { bodyBytesMax } from "./body-limits.ts";

type RawRequest = IncomingMessage | Http2ServerRequest;

/**
 * Reads the whole body of a request. `take` is called with the number of bytes that are about to be
 * stored, and may throw to reject them.
 * @throws ApiError RequestEntityTooLarge, BadRequest when the body ends early, and the errors of
 * `take`.
 */
export function readBody(request: RawRequest, take: (bytes: number) => void): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const announced = lengthOf(request);
    if (announced !== undefined && announced > bodyBytesMax) return reject(bodyTooLarge());
    if (announced !== undefined) take(announced);
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    const fail = (error: Error) => {
      request.off("data", keep);
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
    const breakOff = () => fail(badRequest("the body of the request broke off"));
    request.on("data", keep);
    request.once("end", () => {
      request.off("close", breakOff);
      resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks));
    });
    request.once("error", fail);
    request.once("close", breakOff);
  });
}

/**
 * Reports whether an unread body may be discarded on arrival, so that the next request of its
 * connection can be read.
 */
export function endsSoon(request: IncomingMessage): boolean {
  const announced = lengthOf(request);
  return request.complete || (announced !== undefined && announced <= bodyBytesMax);
}

function lengthOf({ headers }: RawRequest): number | undefined {
  const text = headers["content-length"];
  if (text !== undefined) return Number(text);
  // A body requires one of the two headers in HTTP/1.1; HTTP/2 requires neither.
  return headers[":method"] === undefined && headers["transfer-encoding"] === undefined ? 0 : undefined;
}

function bodyTooLarge() {
  return requestTooLarge(`Request entity too large: limit is ${bodyBytesMax}`);
}
