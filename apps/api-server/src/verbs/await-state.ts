import { StoreUnavailable } from "@kintsugi/store";
import { continueRevision } from "../answers/continue-token.ts";
import type { RequestInfo } from "../request/request-info.ts";
import { parseResourceVersion } from "../request/resource-version.ts";
import type { ServerContext } from "../server-context.ts";

/** Time within which a revision that another server has returned arrives here; upstream's wait. */
const revisionWaitMs = 3_000;

/**
 * Resolves when memory shows the state from which a request may be answered; undefined if it
 * already does. Several servers share the objects, and the memory of a server contains its own
 * acknowledged writes before the memory of the other servers does.
 *
 *   resourceVersion      a read is answered from
 *   unset                everything that any server acknowledged before its arrival
 *   0                    the current memory
 *   n, or a list's page  memory, after it has reached n
 *
 * A write begins after everything acknowledged is in memory, because its admission reads other
 * objects. Its decision is also fenced by its commit.
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
    // The verb rejects a revision that memory has not reached.
    if (!(error instanceof StoreUnavailable)) throw error;
  });
}
