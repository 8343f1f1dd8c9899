import { bytesResponse } from "../http/api-request.ts";
import type { SpecialRoute } from "../routes.ts";

/** What /metrics answers with. */
export interface MetricsExposition {
  readonly contentType: string;
  exposition(): Promise<string>;
}

/** GET /metrics. `prepare` sets what is measured only when somebody looks. */
export function createMetricsRoute(source: MetricsExposition | undefined, prepare: () => void): SpecialRoute {
  return (_request, info) => {
    if (source === undefined || info.method !== "GET" || info.path !== "/metrics") return undefined;
    prepare();
    return source.exposition().then((text) => bytesResponse(200, Buffer.from(text), source.contentType));
  };
}
