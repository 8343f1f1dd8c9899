import { badRequest, isTimestamp, parseTimestamp } from "@kintsugi/api";
import { jsonResponse } from "../http/api-request.ts";
import type { BuiltInHandler, BuiltInResource } from "../built-in-route.ts";
import type { Journal } from "./journal.ts";
import type { TimelineEntry } from "./timeline-entry.ts";

export const kintsugiGroup = "kintsugi.dev";
export const kintsugiVersion = "v1alpha1";

/**
 * GET /apis/kintsugi.dev/v1alpha1/timeline?node=&pod=&namespace=&since=: lists the steps, oldest
 * first.
 */
export function createTimelineRoute(journal: Journal): BuiltInResource {
  const list: BuiltInHandler = (_request, { query }) => {
    const wanted: TimelineFilter = {
      node: query.get("node") ?? "",
      pod: query.get("pod") ?? "",
      namespace: query.get("namespace") ?? "",
      sinceMs: readSince(query.get("since") ?? ""),
    };
    const items = journal.entries().filter((entry) => matches(entry, wanted));
    return jsonResponse(200, { kind: "Timeline", apiVersion: `${kintsugiGroup}/${kintsugiVersion}`, items });
  };
  return {
    type: { group: kintsugiGroup, version: kintsugiVersion, resource: "timeline", namespaced: false },
    verbs: { list },
  };
}

interface TimelineFilter {
  node: string;
  pod: string;
  namespace: string;
  sinceMs: number;
}

function matches(entry: TimelineEntry, { node, pod, namespace, sinceMs }: TimelineFilter): boolean {
  return (
    entry.timeMs >= sinceMs &&
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
