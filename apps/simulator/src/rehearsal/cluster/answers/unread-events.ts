import type { RequestHandler } from "@kintsugi/client";
import { goDurationMs } from "@kintsugi/rehearsal";

/** The only reason of Events that a report reads: a workload's pod could not be created. */
const readReason = "FailedCreate";

/** The part of a kubelet's message that has the time of a pull, without and with its wait. */
const pulledText = "including waiting";
const pulledPattern = / in (\S{1,40}) \((\S{1,40}) including waiting\)/;

const created = 201;
const notFound = 404;

/**
 * Answers the writes of Events that no report reads, without the API server: a third of the
 * requests of a woken kubelet are Events. A recorder does not wait for the response, so nothing
 * else differs.
 * @param noteWait is called with the time that a pod waited for the pulls of other pods.
 */
export function withoutUnreadEvents(handler: RequestHandler, noteWait: (waitedMs: number) => void): RequestHandler {
  return {
    handle: (request) => {
      const { method, path, body } = request;
      if (!isEvents(path) || method === "GET") return handler.handle(request);
      const bytes = Buffer.from(body?.buffer ?? new ArrayBuffer(0), body?.byteOffset, body?.length);
      if (bytes.includes(readReason)) return handler.handle(request);
      if (method === "POST" && bytes.includes(pulledText)) noteWait(waitIn(bytes.toString("utf8")));
      const headers = { "content-type": request.headers["content-type"] ?? "application/json" };
      const isCreate = method === "POST" && body !== undefined;
      return Promise.resolve({
        status: isCreate ? created : notFound,
        headers,
        body: isCreate ? body : new Uint8Array(),
      });
    },
  };
}

/** `/api/v1/namespaces/NAMESPACE/events`, with a name or without. */
function isEvents(path: string): boolean {
  const [, api, , namespaces, , resource] = path.split("/", 6);
  return api === "api" && namespaces === "namespaces" && resource?.split("?", 1)[0] === "events";
}

/** `Successfully pulled image "web:1" in 2s (5s including waiting).`: 3 s of waiting. */
function waitIn(text: string): number {
  const [, took = "", waited = ""] = pulledPattern.exec(text) ?? [];
  return Math.max(0, (goDurationMs(waited) ?? 0) - (goDurationMs(took) ?? 0));
}
