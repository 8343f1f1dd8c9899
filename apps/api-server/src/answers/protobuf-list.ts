import { apiVersionOf, type JsonObject } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";
import type { Entry } from "@kintsugi/store";
import { type ApiResponse, bytesResponse } from "../http/api-request.ts";
import { protobufContentType } from "../http/negotiate.ts";
import { type ProtobufList, protobufList } from "../protobuf/index.ts";
import type { ResourceCall } from "../request/resource-call.ts";
import { decodeAs } from "../resources/requested-form.ts";
import { objectWriterFor } from "./object-writer.ts";
import { metadataAlone } from "./protobuf-answer.ts";

/**
 * Lists up to this size are answered in one piece. Longer lists are streamed in pieces of about
 * this size.
 */
export const pieceBytesMax = 256 * 1024;
/**
 * A list up to this size is retained until its reader has received it. The items of a longer list
 * are encoded twice, so that slow readers cannot fill the memory.
 */
const keptBytesMax = 4 * 2 ** 20;

interface ListContext {
  readonly clock: Pick<Clock, "nowMs" | "nextTurn">;
}

interface ListAnswer {
  entries: readonly Entry[];
  metadata: JsonObject;
}

/**
 * A page of a list in protobuf. Its length precedes its items, so all items are encoded before the
 * first byte is sent. Other requests are served in between.
 */
export function protobufListResponse(
  context: ListContext,
  call: ResourceCall,
  { entries, metadata }: ListAnswer,
): ApiResponse {
  const { list, pieces } = protobufPieces(call, { entries, metadata });
  const iterator = pieces();
  const first = iterator.next();
  const second = iterator.next();
  if (second.done === true) {
    const items = first.value ?? new Uint8Array();
    return bytesResponse(200, Buffer.concat([list.opening(items.byteLength), items]), protobufContentType);
  }
  const body = streamed({ context, list, pieces, ready: [first.value as Uint8Array, second.value], iterator });
  return { status: 200, headers: { "content-type": protobufContentType }, body };
}

function protobufPieces(
  { resource, form }: ResourceCall,
  { entries, metadata }: { entries: readonly Entry[]; metadata: JsonObject },
): { list: ProtobufList; pieces: () => Generator<Uint8Array, undefined> } {
  const writer = form.as === "object" ? undefined : objectWriterFor(resource, form, () => 0);
  const { description } = resource;
  const type = writer === undefined && description.type === "object" ? description : metadataAlone;
  const head =
    form.as === "object"
      ? { kind: `${resource.type.kind}List`, apiVersion: apiVersionOf(resource.type) }
      : { kind: "PartialObjectMetadataList", apiVersion: `meta.k8s.io/${form.version}` };
  const list = protobufList({ ...head, metadata }, type);
  const encode = (entry: Entry): Uint8Array => {
    const object = decodeAs(resource, entry);
    return list.item(writer?.item(object) ?? (object as unknown as JsonObject));
  };
  return { list, pieces: () => joined(entries, encode) };
}

/** The items, in pieces. */
function* joined(entries: readonly Entry[], encode: (entry: Entry) => Uint8Array): Generator<Uint8Array, undefined> {
  let piece: Uint8Array[] = [];
  let bytes = 0;
  for (const entry of entries) {
    const item = encode(entry);
    piece.push(item);
    bytes += item.byteLength;
    if (bytes < pieceBytesMax) continue;
    yield Buffer.concat(piece);
    piece = [];
    bytes = 0;
  }
  if (piece.length > 0) yield Buffer.concat(piece);
}

interface Streamed {
  context: ListContext;
  list: ProtobufList;
  pieces: () => Iterable<Uint8Array>;
  /** The first pieces, and a generator of the remaining pieces. */
  ready: readonly Uint8Array[];
  iterator: Iterable<Uint8Array>;
}

async function* streamed({ context, list, pieces, ready, iterator }: Streamed): AsyncGenerator<Uint8Array> {
  let kept: Uint8Array[] | undefined = [...ready];
  let bytes = kept.reduce((sum, piece) => sum + piece.byteLength, 0);
  for (const piece of iterator) {
    await context.clock.nextTurn();
    bytes += piece.byteLength;
    if (bytes > keptBytesMax) kept = undefined;
    else kept?.push(piece);
  }
  yield list.opening(bytes);
  yield* kept ?? pieces();
}
