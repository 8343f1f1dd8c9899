import { ApiError, type ApiObject, type ResourceType } from "@kintsugi/api";
import type { WatchEvent, WatchOptions } from "../client.ts";
import type { Exchange, OpenExchange } from "./exchange.ts";
import { readJsonFrames } from "./json-frames.ts";
import { metadataMediaType, withMetadataOnly } from "../informer/partial-metadata.ts";
import { requestPath } from "./request-path.ts";
import { apiErrorFrom } from "./status-error.ts";
import { SilentConnection } from "./unanswered.ts";

/**
 * The server sends an event or a bookmark at least every minute. A watch without an event or a
 * bookmark for ninety seconds is considered silent.
 */
const idleLimitMs = 90_000;

const silent = () => new SilentConnection(`no answer within ${idleLimitMs / 1000} s`, { sent: true });

interface Frame {
  type?: unknown;
  object?: { metadata?: { resourceVersion?: string }; code?: number };
}

/** Follows a resource from a revision; see `ObjectReader.watch`. */
export async function* watchObjects<T extends ApiObject>(
  exchange: Exchange,
  type: ResourceType<T>,
  options: WatchOptions,
): AsyncGenerator<WatchEvent<T>, void> {
  if (options.signal.aborted) return;
  const open = await openWatch(exchange, type, options).catch((error: unknown) => {
    if (options.signal.aborted) return undefined;
    throw error;
  });
  if (open === undefined) return;
  try {
    for await (const frame of readJsonFrames(guarded(open, options.bookmarks === true))) {
      const event = watchEventOf<T>(frame as Frame, open.operation);
      if (event === undefined) continue;
      const isPartial = options.metadataOnly === true && event.type !== "BOOKMARK";
      yield isPartial ? { ...event, object: withMetadataOnly(type, event.object) } : event;
    }
  } catch (error) {
    if (options.signal.aborted) return;
    throw exchange.connectionError(error, open.operation, { outcomeUnknown: false, signal: options.signal });
  } finally {
    open.limits.release();
  }
}

function openWatch<T extends ApiObject>(exchange: Exchange, type: ResourceType<T>, options: WatchOptions) {
  const query = {
    watch: true,
    resourceVersion: options.resourceVersion,
    labelSelector: options.labelSelector,
    fieldSelector: options.fieldSelector,
    allowWatchBookmarks: options.bookmarks === true ? true : undefined,
    timeoutSeconds: options.timeoutSeconds,
  };
  return exchange.open({
    method: "GET",
    path: requestPath({ type, namespace: options.namespace }, query),
    accept: options.metadataOnly === true ? metadataMediaType : undefined,
    signal: options.signal,
  });
}

/**
 * A quiet resource without bookmarks may be silent for any time. TCP's keep-alive detects dead
 * peers in this case.
 */
async function* guarded(open: OpenExchange, expectsBookmarks: boolean): AsyncGenerator<Uint8Array, void> {
  const rearm = () => {
    if (expectsBookmarks) open.limits.limit(idleLimitMs, silent, "routine");
  };
  rearm();
  for await (const chunk of open.body) {
    rearm();
    yield chunk;
  }
}

/** Unknown types of frames are skipped, as in upstream's clients. */
function watchEventOf<T extends ApiObject>(frame: Frame, operation: string): WatchEvent<T> | undefined {
  const object = frame.object;
  if (object === undefined) throw new SyntaxError("a frame of the watch does not contain an object");
  switch (frame.type) {
    case "ADDED":
    case "MODIFIED":
    case "DELETED":
      return { type: frame.type, object: object as T };
    case "BOOKMARK":
      return { type: "BOOKMARK", resourceVersion: object.metadata?.resourceVersion ?? "" };
    case "ERROR":
      throw expiredIfGone(apiErrorFrom(object, object.code ?? 500, operation));
    default:
      return undefined;
  }
}

/**
 * Servers send "Gone" or "Expired" for the same condition; callers always receive the same reason.
 */
function expiredIfGone(error: ApiError): ApiError {
  return error.reason === "Gone" ? new ApiError("Expired", error.message, { cause: error }) : error;
}
