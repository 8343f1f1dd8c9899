import type { RequestHandler } from "@kintsugi/client";

/** The only reason of Events that a report reads: a workload's pod could not be created. */
const readReason = "FailedCreate";

const created = 201;
const notFound = 404;

/**
 * Answers the writes of Events that no report reads, without the API server: a third of the
 * requests of a woken kubelet are Events. A recorder does not wait for the response, so nothing
 * else differs.
 */
export function withoutUnreadEvents(handler: RequestHandler): RequestHandler {
  return {
    handle: (request) => {
      const { method, path, body } = request;
      if (!isEvents(path) || method === "GET") return handler.handle(request);
      if (body !== undefined && Buffer.from(body.buffer, body.byteOffset, body.length).includes(readReason))
        return handler.handle(request);
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
