import { expiredContinue, badRequest } from "@kintsugi/api";
import { type Entry, RevisionExpired, type Store } from "@kintsugi/store";
import { type ApiResponse, bytesResponse } from "../http/api-request.ts";
import type { ResourceCall } from "../request/resource-call.ts";
import { readFreshness } from "../request/resource-version.ts";
import { readSelection, type Selection } from "../request/selection.ts";
import type { ServerContext } from "../server-context.ts";
import { type ContinueToken, formatContinue, parseContinue } from "../answers/continue-token.ts";
import { type ListForm, listForm } from "../answers/list-form.ts";
import { pieceBytesMax, protobufListResponse } from "../answers/protobuf-list.ts";
import type { JsonObject } from "../json.ts";
import type { RequestQuery } from "../request/request-path.ts";

/** One page of a list: its entries, its revision, and the key behind which it goes on. */
export interface ListPage {
  entries: readonly Entry[];
  revision: number;
  continueAfter: string | undefined;
  /** Unknown under selectors, as upstream. */
  remaining: number | undefined;
  /** The number of objects that were read; each was held against the selector, if there is one. */
  fetched: number;
}

export function list(context: ServerContext, call: ResourceCall): ApiResponse | Promise<ApiResponse> {
  const selection = readSelection(call.info, call.resource);
  const page = readPage(context.store, call.info.query, selection);
  const { fetched } = page;
  const evaluated = selection.narrowed ? fetched : 0;
  context.listCounts.listed(call.resource.type, { fetched, evaluated, returned: page.entries.length });
  const entries = context.conversions.toServed(call.resource, page.entries, call.request.signal);
  if (entries instanceof Promise) return entries.then((each) => writeList(context, call, { ...page, entries: each }));
  return writeList(context, call, page);
}

/** @throws ApiError */
export function readPage(store: Store, query: RequestQuery, selection: Selection): ListPage {
  const limit = readLimit(query.get("limit"));
  const token = readContinue(query, selection);
  const freshness = token === undefined ? readFreshness(query, store.revision()) : undefined;
  // No list here was ever that far: the token is forged, or from before a backup was restored.
  // Clients then start again.
  if (token !== undefined && token.revision > store.revision()) throw expiredContinue();
  const revision = token?.revision ?? (freshness?.at === "exactly" ? freshness.revision : undefined);
  try {
    return takePage(store, selection, { limit, after: token?.after, revision });
  } catch (error) {
    if (!(error instanceof RevisionExpired)) throw error;
    throw token === undefined ? error : expiredContinue();
  }
}

interface PageRequest {
  /** 0 is all. */
  limit: number;
  after: string | undefined;
  revision: number | undefined;
}

/**
 * Entries are filtered in slices of this size, so that a rare selector does not copy the whole
 * resource at once.
 */
const sliceLength = 1000;

function takePage(store: Store, selection: Selection, request: PageRequest): ListPage {
  const pinned = request.revision === undefined ? {} : { revision: request.revision };
  if (!selection.narrowed) {
    const page = store.list(selection.prefix, {
      ...pinned,
      ...(request.after === undefined ? {} : { after: request.after }),
      ...(request.limit === 0 ? {} : { limit: request.limit }),
    });
    const last = page.entries.at(-1)?.key;
    return {
      entries: page.entries,
      revision: page.revision,
      continueAfter: page.more ? last : undefined,
      remaining: page.more ? page.remaining : undefined,
      fetched: page.entries.length,
    };
  }
  return takeMatching(store, selection, request);
}

function takeMatching(store: Store, selection: Selection, request: PageRequest): ListPage {
  const entries: Entry[] = [];
  let { after, revision } = request;
  let fetched = 0;
  for (;;) {
    const slice = store.list(selection.prefix, {
      limit: sliceLength,
      ...(after === undefined ? {} : { after }),
      ...(revision === undefined ? {} : { revision }),
    });
    revision ??= slice.revision;
    for (const entry of slice.entries) {
      fetched++;
      if (!selection.matches(entry)) continue;
      if (request.limit > 0 && entries.length === request.limit) {
        return { entries, revision, continueAfter: entries.at(-1)?.key, remaining: undefined, fetched };
      }
      entries.push(entry);
    }
    after = slice.entries.at(-1)?.key;
    if (!slice.more || after === undefined)
      return { entries, revision, continueAfter: undefined, remaining: undefined, fetched };
  }
}

function readLimit(text: string | null): number {
  if (text === null || text === "") return 0;
  const limit = Number(text);
  if (!Number.isSafeInteger(limit) || limit < 0)
    throw badRequest(`Invalid value: ${JSON.stringify(text)}: limit must be a number`);
  return limit;
}

function readContinue(query: RequestQuery, selection: Selection): ContinueToken | undefined {
  const text = query.get("continue") ?? "";
  if (text === "") return undefined;
  const resourceVersion = query.get("resourceVersion") ?? "";
  if (resourceVersion !== "" && resourceVersion !== "0") {
    throw badRequest("specifying resource version is not allowed when using continue");
  }
  if ((query.get("resourceVersionMatch") ?? "") !== "") {
    throw badRequest("specifying resource version match is not allowed when using continue");
  }
  return parseContinue(text, selection.prefix);
}

function writeList(context: ServerContext, call: ResourceCall, page: ListPage): ApiResponse {
  const answer = { entries: page.entries, metadata: listMetadata(page) };
  if (call.form.encoding === "protobuf") return protobufListResponse(context, call, answer);
  const form = listForm(context, call, answer);
  const pieces = listPieces(form, page.entries);
  const first = pieces.next();
  const second = pieces.next();
  if (second.done === true) return bytesResponse(200, first.value ?? new Uint8Array(), form.contentType);
  return {
    status: 200,
    headers: { "content-type": form.contentType },
    body: streamPieces([first.value as Uint8Array, second.value], pieces),
  };
}

async function* streamPieces(ready: readonly Uint8Array[], rest: Generator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* ready;
  yield* rest;
}

/** The body in pieces of about `pieceBytesMax`. */
function* listPieces(form: ListForm, entries: readonly Entry[]): Generator<Uint8Array> {
  let piece: Uint8Array[] = [form.opening];
  let bytes = 0;
  let isFirst = true;
  for (const entry of entries) {
    if (!isFirst) piece.push(form.separator);
    isFirst = false;
    const item = form.item(entry);
    piece.push(item);
    bytes += item.byteLength;
    if (bytes >= pieceBytesMax) {
      yield Buffer.concat(piece);
      piece = [];
      bytes = 0;
    }
  }
  piece.push(form.ending);
  yield Buffer.concat(piece);
}

function listMetadata(page: ListPage): JsonObject {
  return {
    resourceVersion: String(page.revision),
    ...(page.continueAfter === undefined
      ? {}
      : { continue: formatContinue({ revision: page.revision, after: page.continueAfter }) }),
    ...(page.remaining === undefined || page.continueAfter === undefined ? {} : { remainingItemCount: page.remaining }),
  };
}
