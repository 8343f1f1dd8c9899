import type { RequestHandler } from "@kintsugi/client";

/** The first list of an informer over all Services. */
const servicesList = /^\/api\/v1\/services(?:\?limit=\d+)?$/;

/**
 * Answers a kubelet's list of Services with an empty list. A kubelet reads Services only for the
 * environment variables of containers, which the programs of a rehearsal do not have. In a large
 * cluster that list is a fifth of the work of a woken kubelet.
 */
export function withoutUnreadServices(handler: RequestHandler, revision: () => number): RequestHandler {
  return {
    handle: (request) => {
      if (request.method !== "GET" || !servicesList.test(request.path)) return handler.handle(request);
      const list = {
        kind: "ServiceList",
        apiVersion: "v1",
        metadata: { resourceVersion: String(revision()) },
        items: [],
      };
      const headers = { "content-type": "application/json" };
      return Promise.resolve({ status: 200, headers, body: Buffer.from(JSON.stringify(list)) });
    },
  };
}
