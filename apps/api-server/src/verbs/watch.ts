import { expiredWatch, invalid, tooLargeResourceVersion, toStatus } from "@kintsugi/api";
import { onAbort } from "@kintsugi/clock";
import { type Entry, RevisionExpired } from "@kintsugi/store";
import { type ApiResponse, jsonContentType } from "../http/api-request.ts";
import { protobufContentType, type ResponseForm } from "../http/negotiate.ts";
import { fieldForbidden } from "../http/refusals.ts";
import { isTrue } from "../request/request-info.ts";
import type { ResourceCall } from "../request/resource-call.ts";
import { parseResourceVersion } from "../request/resource-version.ts";
import { readSelection, type Selection } from "../request/selection.ts";
import { isConverted } from "../resources/conversions.ts";
import { storeResource } from "../resources/keys.ts";
import { storedResource } from "../resources/requested-form.ts";
import type { ServerContext } from "../server-context.ts";
import { asStored, convertedEvents } from "../watch/converted-events.ts";
import type { EventEncoder } from "../watch/event-encoder.ts";
import { ChangeFrames } from "../watch/hub.ts";
import { readWatchTimeoutMs } from "../watch/watch-timeout.ts";
import { Watcher } from "../watch/watcher.ts";
import type { RequestQuery } from "../request/request-path.ts";

/**
 * Interval at which a quiet watch gets a bookmark with its current revision. Watches of kinds that
 * never change get bookmarks too, because clients assume that a silent watch is a dead connection.
 */
const bookmarkIntervalMs = 60_000;

/**
 * GET with watch=true. Registering the watch and reading the earlier events happen in one turn, in
 * which nothing can be committed, so there is no gap and no overlap between replayed and delivered
 * events.
 */
export function watch(context: ServerContext, call: ResourceCall): ApiResponse {
  const { query } = call.info;
  const resource = storedResource(call.resource);
  const selection = readSelection(call.info, call.resource);
  const formEncoder = context.encoders.encoderFor(call.resource, call.form);
  const needsConversion = isConverted(call.resource);
  const encoder = needsConversion
    ? context.encoders.encoderFor(asStored(call.resource), { as: "object" })
    : formEncoder;
  context.freshness.check();
  const start = readStart(query, context.store.revision());
  const timeoutMs = readWatchTimeoutMs(query, context.random, context.options);
  const bookmarks = isTrue(query.get("allowWatchBookmarks"));
  let initial: Iterable<Uint8Array>;
  let known: readonly Entry[] = [];
  try {
    if (selection.matchesConverted !== undefined && start.at === "revision") {
      known = context.store.list(selection.prefix, { revision: start.revision }).entries;
    }
    initial = initialEvents(context, { selection, encoder, start, bookmarks, resource: storeResource(resource.type) });
  } catch (error) {
    if (!(error instanceof RevisionExpired)) throw error;
    const revision = start.at === "revision" ? start.revision : 0;
    const status = toStatus(expiredWatch(String(revision), error.message));
    // A watch from a revision that no longer exists still begins. Its only event reports the error.
    return { status: 200, headers: streamHeaders(call), body: single(formEncoder.error(status)) };
  }
  const name = storeResource(resource.type);
  const releases: (() => unknown)[] = [];
  const watcher: Watcher = new Watcher({
    turns: context.hub.turns,
    resource: call.resource,
    selection,
    encoder,
    initial,
    onEnd: () => {
      context.hub.remove(name, watcher);
      for (const release of releases) release();
    },
  });
  context.hub.add(name, watcher);
  const { signal, remoteAddress } = call.request;
  // A client of this process uses the cluster's clock.
  const clock = remoteAddress === undefined ? context.calendar : context.clock;
  releases.push(
    keepTime({ clock, store: context.store, freshness: context.freshness }, watcher, { bookmarks, timeoutMs }),
  );
  if (signal.aborted) watcher.end();
  else releases.push(onAbort(signal, () => watcher.end()));
  const body = needsConversion
    ? convertedEvents(watcher, {
        resource: call.resource,
        encoder: formEncoder,
        conversions: context.conversions,
        signal,
        selection: selection.matchesConverted && { matches: selection.matchesConverted, known },
      })
    : watcher;
  return { status: 200, headers: streamHeaders(call), body };
}

function streamHeaders({ form }: ResourceCall): Record<string, string> {
  return { "content-type": streamType(form) };
}

/** Upstream answers a watch that accepts one item of CBOR with a sequence of items (RFC 8742). */
function streamType({ encoding }: ResponseForm): string {
  switch (encoding) {
    case "protobuf":
      return `${protobufContentType};stream=watch`;
    case "cbor":
      return "application/cbor-seq";
    default:
      return jsonContentType;
  }
}

/**
 * The start of a watch: the current state, or a revision. `listed` ends the first part with a
 * marked bookmark.
 */
type Start = { at: "now"; listed: boolean } | { at: "revision"; revision: number };

function readStart(query: RequestQuery, current: number): Start {
  const text = query.get("resourceVersion") ?? "";
  const match = query.get("resourceVersionMatch") ?? "";
  const sendInitialEvents = query.get("sendInitialEvents");
  const revision = parseResourceVersion(text);
  if (revision > current) throw tooLargeResourceVersion(text, String(current));
  if (sendInitialEvents !== null) {
    if (match !== "NotOlderThan") {
      throw invalidWatch(
        "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided and it is NotOlderThan",
      );
    }
    if (isTrue(sendInitialEvents)) {
      if (!isTrue(query.get("allowWatchBookmarks"))) {
        throw invalidWatch("sendInitialEvents needs allowWatchBookmarks");
      }
      return { at: "now", listed: true };
    }
    return { at: "revision", revision: revision === 0 ? current : revision };
  }
  if (match !== "")
    throw invalidWatch("resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided");
  return revision === 0 ? { at: "now", listed: false } : { at: "revision", revision };
}

function invalidWatch(why: string) {
  return invalid({ group: "meta.k8s.io", kind: "ListOptions" }, "", [fieldForbidden("resourceVersionMatch", why)]);
}

interface InitialOptions {
  selection: Selection;
  encoder: EventEncoder;
  start: Start;
  bookmarks: boolean;
  /** The store's name of the resource. */
  resource: string;
}

/**
 * Returns the events before the live events. Their source is fixed now, and frames are made when
 * they are read.
 * @throws RevisionExpired
 */
function initialEvents(context: ServerContext, options: InitialOptions): Iterable<Uint8Array> {
  const { selection, encoder, start, bookmarks, resource } = options;
  if (start.at === "revision") {
    const changes = context.store.changesSince(resource, start.revision);
    const frames = replay(
      changes.map((change) => new ChangeFrames(change)),
      encoder,
      (entry) => selection.matches(entry),
    );
    // Informers return to the change stream as soon as the bookmark shows that they have caught up.
    return bookmarks ? thenBookmark(frames, encoder, context.store.revision()) : frames;
  }
  const page = context.store.list(selection.prefix);
  const entries = selection.narrowed ? page.entries.filter((entry) => selection.matches(entry)) : page.entries;
  return present(entries, encoder, start.listed ? page.revision : undefined);
}

function* replay(
  changes: readonly ChangeFrames[],
  encoder: EventEncoder,
  matches: (entry: Entry) => boolean,
): Generator<Uint8Array> {
  for (const frames of changes) {
    const frame = frames.frameFor(encoder, matches);
    if (frame !== undefined) yield frame;
  }
}

function* thenBookmark(frames: Iterable<Uint8Array>, encoder: EventEncoder, revision: number): Generator<Uint8Array> {
  yield* frames;
  yield encoder.bookmark(revision, false);
}

function* present(
  entries: readonly Entry[],
  encoder: EventEncoder,
  listedRevision: number | undefined,
): Generator<Uint8Array> {
  for (const entry of entries) yield encoder.event("ADDED", entry);
  if (listedRevision !== undefined) yield encoder.bookmark(listedRevision, true);
}

interface WatchTime {
  bookmarks: boolean;
  timeoutMs: number;
}

/**
 * Ends the watch after its timeout, and sends periodic bookmarks until then. Ticks measure the
 * time. Hours that a test's clock skips are one tick, because otherwise each skip would end every
 * watch.
 * @returns a function that stops the timer.
 */
function keepTime(
  { clock, store, freshness }: Pick<ServerContext, "clock" | "store" | "freshness">,
  watcher: Watcher,
  { bookmarks, timeoutMs }: WatchTime,
): () => void {
  const tickIn = (leftMs: number) => {
    const tickMs = Math.min(leftMs, bookmarkIntervalMs);
    return clock.after(tickMs, () => tick(leftMs - tickMs), "heartbeat");
  };
  const tick = (leftMs: number): void => {
    // Everything committed so far has been queued, so the reader will reach this revision.
    if (bookmarks && freshness.isProven) watcher.push(watcher.encoder.bookmark(store.revision(), false));
    if (leftMs <= 0) watcher.end();
    else timer = tickIn(leftMs);
  };
  let timer = tickIn(timeoutMs);
  return () => timer.cancel();
}

async function* single(frame: Uint8Array): AsyncGenerator<Uint8Array> {
  yield frame;
}
