import { pipeline, Readable } from "node:stream";
import { createGzip, gzip } from "node:zlib";
import { cborContentType, protobufContentType } from "./negotiate.ts";
import { type ApiRequest, type ApiResponse, jsonContentType } from "./api-request.ts";

/**
 * Upstream compresses answers from this size on, because smaller answers cost more time than they
 * save.
 */
const compressedBytesMin = 128 * 1024;
/**
 * The fastest level, because the network in a cluster is also fast (upstream's
 * defaultGzipContentEncodingLevel).
 */
const level = 1;

const objectContentTypes: ReadonlySet<string> = new Set([jsonContentType, protobufContentType, cborContentType]);

/**
 * Compresses a long answer in JSON, protobuf or CBOR for a client that accepts gzip. A streamed
 * list is always longer than the minimum size. The compression runs in separate threads.
 */
export function compressed(request: ApiRequest, response: ApiResponse): ApiResponse | Promise<ApiResponse> {
  const { body, headers, status } = response;
  if (status !== 200 || request.method === "HEAD" || !acceptsGzip(request.headers["accept-encoding"])) return response;
  const isObject = objectContentTypes.has(headers["content-type"] ?? "");
  if (!isObject || headers["content-encoding"] !== undefined) return response;
  if (!(body instanceof Uint8Array)) return inGzip(response, gzippedStream(body));
  if (body.byteLength < compressedBytesMin) return response;
  return gzipped(body).then((bytes) => inGzip(response, bytes));
}

function inGzip(response: ApiResponse, body: ApiResponse["body"]): ApiResponse {
  response.body = body;
  Object.assign(response.headers, { "content-encoding": "gzip", vary: "Accept-Encoding" });
  return response;
}

/** A source that fails aborts the stream; a reader that disconnects ends the source. */
function gzippedStream(body: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  // The reader of the stream gets the error.
  return pipeline(Readable.from(body, { objectMode: false }), createGzip({ level }), () => {});
}

function gzipped(body: Uint8Array): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    gzip(body, { level }, (error, result) => (error ? reject(error) : resolve(result)));
  });
}

/**
 * Upstream only searches the header for the encoding's name. A client that gives the encoding the
 * weight 0 rejects compression.
 */
function acceptsGzip(header: string | undefined): boolean {
  if (header === undefined) return false;
  return header.split(",").some((clause) => {
    const [name = "", ...parameters] = clause.split(";").map((part) => part.trim().toLowerCase());
    return name === "gzip" && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });
}
