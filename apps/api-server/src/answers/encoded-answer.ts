import type { JsonObject } from "@kintsugi/api";
import { type ApiResponse, jsonContentType } from "../http/api-request.ts";
import type { DescribeKind } from "../http/body.ts";
import { cborContentType, type Encoding, protobufContentType } from "../http/negotiate.ts";
import { cborAnswer } from "./cbor-answer.ts";
import { protobufAnswer } from "./protobuf-answer.ts";

const encodings = {
  protobuf: { contentType: protobufContentType, encode: protobufAnswer },
  cbor: { contentType: cborContentType, encode: cborAnswer },
} as const;

/**
 * Re-encodes an answer that was made as JSON: an object, one page of a list, or a Status. Answers
 * that the encoding cannot represent are unchanged.
 */
export function encodedAnswer(
  response: ApiResponse,
  encoding: Encoding | undefined,
  describe: DescribeKind,
): ApiResponse {
  if (encoding === undefined) return response;
  const { body } = response;
  if (!(body instanceof Uint8Array) || response.headers["content-type"] !== jsonContentType) return response;
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString("utf8");
  const { contentType, encode } = encodings[encoding];
  const encoded = encode(JSON.parse(text) as JsonObject, describe);
  if (encoded === undefined) return response;
  return {
    ...response,
    headers: { ...response.headers, "content-type": contentType },
    body: encoded,
    bodyAsJson: body,
  };
}
