import { exportSnapshot, type Store, type StoredValues } from "@kintsugi/store";
import type { BuiltInResource } from "../built-in-route.ts";
import { kintsugiGroup, kintsugiVersion } from "../timeline/timeline-route.ts";

/**
 * GET /apis/kintsugi.dev/v1alpha1/snapshot: every current object, including Secrets, in the form
 * that `kintsugi snapshot restore` reads. It is one revision however long the caller takes; writes
 * continue in the meantime. Values are encrypted as on the disk. Only a user with all rights may
 * request it.
 */
export function createSnapshotRoute(store: Store, values: StoredValues | undefined): BuiltInResource {
  return {
    type: { group: kintsugiGroup, version: kintsugiVersion, resource: "snapshot", namespaced: false },
    verbs: {
      list: async () => {
        // Afterwards, the store contains every write that any server acknowledged.
        await store.fresh();
        return {
          status: 200,
          headers: { "content-type": "application/octet-stream" },
          body: exportSnapshot(store, values),
        };
      },
    },
  };
}
