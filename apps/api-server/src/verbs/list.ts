import { badRequest, expiredContinue, type JsonObject } from "@kintsugi/api";
import { type Entry, RevisionExpired, type Store } from "@kintsugi/store";
import { type ApiResponse, bytesResponse } from "../http/api-request.ts";
import type { ResourceCall } from "../request/resource-call.ts";
import { readFreshness } from "../request/resource-version.ts";
import { readSelection, type Selection } from "../request/selection.ts";
import type { ServerContext } from "../server-context.ts";
import { type ContinueToken, formatContinue, parseContinue } from "../answers/continue-token.ts";
import { type ListForm, listForm } from "../answers/list-form.ts";
import { pieceBytesMax, protobufListResponse } from "../answers/protobuf-list.ts";
import type { RequestQuery } from "../request/request-path.ts";

/** One page of a list: its entries, its revision, and the key after which it continues. */
export interface ListPage {
  entries: readonly Entry[];
  revision: number;
  continueAfter: string | undefined;
  /** The time of the list's first page. */
  sinceMs: number;
  /** Undefined with selectors. */
  remaining: number | undefined;
  /**
   * The number of objects that were read. Each was compared with the selector, if the request has a
   * selector.
   */
  fetched: number;
}

export function list(context: ServerContext, call: ResourceCall): ApiResponse | Promise<ApiResponse> {
  const selection = readSelection(call.info, call.resource);
  const page = readPageConverted(context, call, selection);
  return page instanceof Promise ? page.then((each) => answer(context, call, each)) : answer(context, call, page);
}

function answer(
  context: ServerContext,
  call: ResourceCall,
  page: ListPage & { narrowed: boolean },
): ApiResponse | Promise<ApiResponse> {
  const { fetched } = page;
  const evaluated = page.narrowed ? fetched : 0;
  context.listCounts.listed(call.resource.type, { fetched, evaluated, returned: page.entries.length });
  const entries = context.conversions.toServed(call.resource, page.entries, call.request.signal);
  if (entries instanceof Promise) return entries.then((each) => writeList(context, call, { ...page, entries: each }));
  return writeList(context, call, page);
}

/**
 * Every five minutes, upstream compacts the history that is older than five minutes. The history
 * here may be longer, but tokens expire at the same age, so that clients handle expired pages on
 * every cluster and not only on a busy cluster.
 */
const tokenLifeMs = 10 * 60_000;

/**
 * Reads a page of the objects that are selected in the version of the request. It waits only where
 * a webhook converts between versions and selectors need the converted objects. @throws ApiError
 */
export function readPageConverted(
  context: Pick<ServerContext, "store" | "clock" | "conversions">,
  { resource, request, info }: Pick<ResourceCall, "resource" | "request" | "info">,
  selection: Selection,
): (ListPage & { narrowed: boolean }) | Promise<ListPage & { narrowed: boolean }> {
  const { store, conversions } = context;
  const { narrowed, matchesConverted } = selection;
  const page = pageOf(context, info.query, selection);
  if (matchesConverted === undefined) {
    return { ...page.read((wanted) => takePage(store, selection, wanted)), narrowed };
  }
  const { signal } = request;
  const convert = async (entries: readonly Entry[]) => conversions.toServed(resource, entries, signal);
  return page
    .readAsync((wanted) => takeConverted(store, { ...selection, matchesConverted }, { ...wanted, convert }))
    .then((read) => ({ ...read, narrowed }));
}

/** A page as the query requests it, read by `take`. @throws ApiError */
function pageOf({ store, clock }: Pick<ServerContext, "store" | "clock">, query: RequestQuery, selection: Selection) {
  const limit = readLimit(query.get("limit"));
  const token = readContinue(query, selection);
  const freshness = token === undefined ? readFreshness(query, store.revision()) : undefined;
  const nowMs = clock.nowMs();
  const exactly = freshness?.at === "exactly" ? freshness.revision : undefined;
  const { revision = exactly, after, sinceMs = nowMs } = token ?? {};
  const pinned = token?.revision;
  const isPinned = pinned !== undefined;
  // This server has never served a list at this revision, so the token is forged or is older than a
  // restored backup. Clients then start again.
  if (pinned !== undefined && pinned > store.revision()) throw expiredContinue();
  const expired = () => expiredContinue(formatContinue({ revision: undefined, after: after ?? "" }));
  if (isPinned && nowMs - sinceMs > tokenLifeMs) throw expired();
  const refusal = (error: unknown) => (error instanceof RevisionExpired && isPinned ? expired() : error);
  const wanted: PageRequest = { limit, after, revision };
  return {
    read: (take: (wanted: PageRequest) => TakenPage): ListPage => {
      try {
        return { ...take(wanted), sinceMs };
      } catch (error) {
        throw refusal(error);
      }
    },
    readAsync: async (take: (wanted: PageRequest) => Promise<TakenPage>): Promise<ListPage> => {
      try {
        return { ...(await take(wanted)), sinceMs };
      } catch (error) {
        throw refusal(error);
      }
    },
  };
}

type TakenPage = Omit<ListPage, "sinceMs">;

interface PageRequest {
  /** 0 means all. */
  limit: number;
  after: string | undefined;
  revision: number | undefined;
}

/**
 * Entries are filtered in slices of this size, so that a selector with few matches does not copy
 * the whole resource at the start.
 */
const sliceLength = 1000;

function takePage(store: Store, selection: Selection, request: PageRequest): TakenPage {
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

function takeMatching(store: Store, selection: Selection, request: PageRequest): TakenPage {
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

/** A page of objects that a webhook converts, a slice at a time. */
async function takeConverted(
  store: Store,
  selection: Selection & { matchesConverted: (entry: Entry) => boolean },
  request: PageRequest & { convert: (entries: readonly Entry[]) => Promise<readonly Entry[]> },
): Promise<TakenPage> {
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
    const matching = slice.entries.filter((entry) => selection.matches(entry));
    fetched += slice.entries.length;
    for (const entry of await request.convert(matching)) {
      if (!selection.matchesConverted(entry)) continue;
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
  const { revision, continueAfter, sinceMs } = page;
  return {
    resourceVersion: String(page.revision),
    ...(continueAfter === undefined ? {} : { continue: formatContinue({ revision, after: continueAfter, sinceMs }) }),
    ...(page.remaining === undefined || page.continueAfter === undefined ? {} : { remainingItemCount: page.remaining }),
  };
}
