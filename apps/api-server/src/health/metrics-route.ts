import { bytesResponse } from "../http/api-request.ts";
import type { PathRoute } from "../built-in-route.ts";

/** The metrics that /metrics returns. */
export interface MetricsExposition {
  readonly contentType: string;
  exposition(): Promise<string>;
}

/** GET /metrics. `prepare` updates on-demand metrics at each request. */
export function createMetricsRoute(source: MetricsExposition | undefined, prepare: () => Promise<void>): PathRoute {
  return (_request, info) => {
    if (source === undefined || info.method !== "GET" || info.path !== "/metrics") return undefined;
    return prepare()
      .then(() => source.exposition())
      .then((text) => bytesResponse(200, Buffer.from(text), source.contentType));
  };
}
