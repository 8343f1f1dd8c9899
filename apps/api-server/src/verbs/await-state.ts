import { StoreUnavailable } from "@kintsugi/store";
import { continueRevision } from "../answers/continue-token.ts";
import type { RequestInfo } from "../request/request-info.ts";
import { parseResourceVersion } from "../request/resource-version.ts";
import type { ServerContext } from "../server-context.ts";

/**
 * A revision that another server has answered is here within this long; upstream's wait as well.
 */
const revisionWaitMs = 3_000;

/**
 * Resolves when memory shows the state that a request may be answered from; undefined if it does
 * already. Several servers share the objects, so what is acknowledged at one of them is first known
 * there.
 *
 *   resourceVersion      a read is answered from
 *   unset                everything that was acknowledged anywhere before it came
 *   0                    memory as it is
 *   n, or a list's page  memory, once it has reached n
 *
 * A write begins with everything acknowledged, because its admission reads other objects; what it
 * decides is fenced by its commit besides.
 * @throws ApiError BadRequest, StoreUnavailable
 */
export function awaitState(
  { store }: Pick<ServerContext, "store">,
  { verb, query, behindProxy }: Pick<RequestInfo, "verb" | "query" | "behindProxy">,
): Promise<void> | undefined {
  const isRead = verb === "get" || verb === "list" || verb === "watch";
  if (!isRead || behindProxy !== undefined) return store.fresh();
  const token = query.get("continue") ?? "";
  const text = query.get("resourceVersion") ?? "";
  const revision = token === "" ? parseResourceVersion(text) : continueRevision(token);
  if (token === "" && text === "") return store.fresh();
  if (revision <= store.revision()) return undefined;
  return store.reached(revision, revisionWaitMs).catch((error: unknown) => {
    // The verb refuses a revision that memory has not reached.
    if (!(error instanceof StoreUnavailable)) throw error;
  });
}
