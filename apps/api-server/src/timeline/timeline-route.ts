import { badRequest, isTimestamp, parseTimestamp, type TimelineEntry } from "@kintsugi/api";
import { onAbort } from "@kintsugi/clock";
import type { BuiltInHandler, BuiltInResource } from "../built-in-route.ts";
import { jsonContentType, jsonResponse } from "../http/api-request.ts";
import { parseResourceVersion } from "../request/resource-version.ts";
import type { ServerContext } from "../server-context.ts";
import { FrameQueue } from "../watch/frame-queue.ts";
import { readWatchTimeoutMs } from "../watch/watch-timeout.ts";
import type { Journal } from "./journal.ts";
import type { RequestQuery } from "../request/request-path.ts";

export const kintsugiGroup = "kintsugi.dev";
export const kintsugiVersion = "v1alpha1";

const apiVersion = `${kintsugiGroup}/${kintsugiVersion}`;

/**
 * GET /apis/kintsugi.dev/v1alpha1/timeline?node=&pod=&namespace=&since=&resourceVersion=: lists the
 * steps, oldest first. With watch=true the answer continues with the following steps, each as a
 * line of JSON, `{"type":"ADDED","object":{…}}`, until the watch's timeout.
 */
export function createTimelineRoute(
  journal: Journal,
  context: Pick<ServerContext, "clock" | "random" | "options">,
): BuiltInResource {
  const list: BuiltInHandler = (_request, { query }) => {
    const wanted = readFilter(query);
    const items = journal.entries().filter((entry) => matches(entry, wanted));
    return jsonResponse(200, { kind: "Timeline", apiVersion, items });
  };
  const watch: BuiltInHandler = ({ signal }, { query }) => {
    const wanted = readFilter(query);
    const timeoutMs = readWatchTimeoutMs(query, context.random, context.options);
    const releases: (() => unknown)[] = [];
    const queue = new FrameQueue({
      initial: framesOf(journal.entries().filter((entry) => matches(entry, wanted))),
      onEnd: () => {
        for (const release of releases) release();
      },
    });
    const push = (entries: readonly TimelineEntry[]) => {
      for (const entry of entries) if (matches(entry, wanted)) queue.push(frameOf(entry));
    };
    releases.push(journal.follow({ push, end: () => queue.end() }));
    const timer = context.clock.after(timeoutMs, () => queue.end());
    releases.push(() => timer.cancel());
    if (signal.aborted) queue.end();
    else releases.push(onAbort(signal, () => queue.end()));
    return { status: 200, headers: { "content-type": jsonContentType }, body: queue };
  };
  return {
    type: { group: kintsugiGroup, version: kintsugiVersion, resource: "timeline", namespaced: false },
    verbs: { list, watch },
  };
}

function* framesOf(entries: readonly TimelineEntry[]): Generator<Uint8Array> {
  for (const entry of entries) yield frameOf(entry);
}

function frameOf(entry: TimelineEntry): Uint8Array {
  return Buffer.from(`${JSON.stringify({ type: "ADDED", object: entry })}\n`);
}

interface TimelineFilter {
  node: string;
  pod: string;
  namespace: string;
  sinceMs: number;
  afterRevision: number;
}

/** @throws ApiError BadRequest */
function readFilter(query: RequestQuery): TimelineFilter {
  return {
    node: query.get("node") ?? "",
    pod: query.get("pod") ?? "",
    namespace: query.get("namespace") ?? "",
    sinceMs: readSince(query.get("since") ?? ""),
    afterRevision: parseResourceVersion(query.get("resourceVersion") ?? ""),
  };
}

function matches(entry: TimelineEntry, wanted: TimelineFilter): boolean {
  const { node, pod, namespace, sinceMs, afterRevision } = wanted;
  return (
    entry.timeMs >= sinceMs &&
    entry.revision > afterRevision &&
    (node === "" || entry.node === node) &&
    (pod === "" || (entry.kind === "Pod" && entry.name === pod)) &&
    (namespace === "" || entry.namespace === namespace)
  );
}

/** Milliseconds since 1970, or a time in RFC 3339. */
function readSince(text: string): number {
  if (text === "") return 0;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  if (isTimestamp(text)) return parseTimestamp(text);
  throw badRequest(`since: ${JSON.stringify(text)} is neither milliseconds nor a time in RFC 3339`);
}
