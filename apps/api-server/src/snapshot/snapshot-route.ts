import { exportSnapshot, type Store } from "@kintsugi/store";
import { methodNotAllowed } from "../http/refusals.ts";
import type { SpecialRoute } from "../routes.ts";
import { kintsugiGroup, kintsugiVersion } from "../timeline/timeline-route.ts";

/**
 * GET /apis/kintsugi.dev/v1alpha1/snapshot: every object as of now, Secrets too, as `kintsugi snapshot restore` takes them.
 * It is one revision however long the caller takes; writes go on meanwhile. Only who may do everything is allowed it.
 */
export function createSnapshotRoute(store: Store): SpecialRoute {
  return (_request, { group, version, resource, name, method }) => {
    if (group !== kintsugiGroup || version !== kintsugiVersion || resource !== "snapshot") return undefined;
    if (method !== "GET" || name !== "") throw methodNotAllowed();
    return { status: 200, headers: { "content-type": "application/octet-stream" }, body: exportSnapshot(store) };
  };
}
