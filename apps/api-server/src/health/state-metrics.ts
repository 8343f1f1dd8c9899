import type { Metrics } from "@kintsugi/api";
import { serverVersion } from "../discovery/version.ts";
import { qualifiedResource } from "@kintsugi/api";
import { storePrefix } from "../resources/keys.ts";
import type { ServerContext } from "../server-context.ts";

/** Measures on demand, when a client reads the metrics: stored objects and open watches. */
export function createStateMetrics(
  { metrics, storageBytes }: { metrics: Metrics; storageBytes?: (() => Promise<number>) | undefined },
  context: ServerContext,
): () => Promise<void> {
  const { store, registry, hub, freshness } = context;
  const objects = metrics.gauge({
    name: "apiserver_storage_objects",
    help: "Objects stored, by resource.",
    labels: ["resource"],
  });
  const resourceObjects = metrics.gauge({
    name: "apiserver_resource_objects",
    help: "Objects stored, by group and resource.",
    labels: ["group", "resource"],
  });
  const size = metrics.gauge({
    name: "apiserver_storage_size_bytes",
    help: "Size of the storage database file physically allocated in bytes.",
    labels: ["storage_cluster_id"],
  });
  const revision = metrics.gauge({
    name: "kintsugi_store_revision",
    help: "Revision of the newest change that this server shows.",
  });
  const freshnessAge = metrics.gauge({
    name: "kintsugi_store_freshness_age_seconds",
    help: "Age of the last proof that this server shows all writes of the other servers.",
  });
  const watches = metrics.gauge({ name: "apiserver_registered_watchers", help: "Open watches." });
  const watchEvents = metrics.counter({
    name: "apiserver_watch_events_total",
    help: "Number of events sent in watch clients.",
    labels: ["group", "version", "kind"],
  });
  const build = metrics.gauge({
    name: "kubernetes_build_info",
    help: "Version of the server, in labels. Always 1.",
    labels: ["major", "minor", "git_version", "platform"],
  });
  const { major, minor, gitVersion, platform } = serverVersion(context.options.minor);
  build.set(1, { major, minor, git_version: gitVersion, platform });
  return async () => {
    if (storageBytes) size.set(await storageBytes(), { storage_cluster_id: store.clusterId });
    revision.set(store.revision());
    if (freshness.ageMs !== undefined) freshnessAge.set(freshness.ageMs / 1_000);
    for (const { type, view, storeName } of registry.resources) {
      if (view !== undefined) continue;
      const count = store.count(storePrefix(type, ""));
      objects.set(count, { resource: qualifiedResource(type) });
      resourceObjects.set(count, { group: type.group, resource: type.resource });
      const { group, version, kind } = type;
      watchEvents.add(hub.takeSentCount(storeName), { group, version, kind });
    }
    watches.set(hub.size());
  };
}
