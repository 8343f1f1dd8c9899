import { type ConfigMap, configMaps, isApiError, secrets } from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import type { Operator } from "@kintsugi/testing";

// An operator that gets its client and its clock from the caller. A site is a ConfigMap with the
// label site=true. The operator creates for each site a Secret that the site owns, an entry in a
// registry that outlives the operator, and an annotation with its state; the finalizer keeps a site
// until its entry no longer exists. Every half minute it checks again.

export const siteNamespace = "default";
export const registryKey = { namespace: "kube-public", name: "registry" };
const finalizer = "example.com/registry";
const pauseMs = 500;

/**
 * @param isCareful false plants the bug: the operator assumes that it has its finalizer even if the
 * write was rejected as a conflict.
 */
export function siteOperator({ isCareful }: { isCareful: boolean }): Operator {
  return async ({ client, clock, signal }) => {
    const held = new Set<string>();
    while (!signal.aborted) {
      await lookAtAll({ client, held, isCareful }).catch(() => {});
      await clock.sleep(pauseMs, signal).catch(() => {});
    }
  };
}

interface Looking {
  client: Client;
  /** The sites that have the finalizer, by UID. */
  held: Set<string>;
  isCareful: boolean;
}

async function lookAtAll(looking: Looking): Promise<void> {
  const { items } = await looking.client.list(configMaps, { namespace: siteNamespace, labelSelector: "site=true" });
  // A site that fails is inspected again, and does not delay others.
  for (const site of items) await reconcile(looking, site).catch(() => {});
}

async function reconcile(looking: Looking, site: ConfigMap): Promise<void> {
  const { client, held, isCareful } = looking;
  const { uid = "", finalizers = [], deletionTimestamp } = site.metadata;
  const isHeld = finalizers.includes(finalizer);
  if (deletionTimestamp !== undefined) {
    if (isHeld) await release(client, site);
    return;
  }
  if (!isHeld && !held.has(uid)) {
    const metadata = { ...site.metadata, finalizers: [...finalizers, finalizer] };
    const update = client.update(configMaps, { ...site, metadata });
    await (isCareful ? update : update.catch(unless("Conflict")));
    held.add(uid);
    return;
  }
  await register(client, site);
  await ensureSecret(client, site);
  await client.patch(configMaps, keyOf(site), {
    type: "merge",
    body: { metadata: { annotations: { "example.com/state": "registered" } } },
  });
}

/** The entry is removed before the finalizer. */
async function release(client: Client, site: ConfigMap): Promise<void> {
  const registry = await client.get(configMaps, registryKey);
  const { [site.metadata.name ?? ""]: entry, ...others } = registry.data ?? {};
  if (entry !== undefined) await client.update(configMaps, { ...registry, data: others });
  const finalizers = (site.metadata.finalizers ?? []).filter((each) => each !== finalizer);
  await client.update(configMaps, { ...site, metadata: { ...site.metadata, finalizers } });
}

async function register(client: Client, site: ConfigMap): Promise<void> {
  const { name = "", uid = "" } = site.metadata;
  const registry = await client.get(configMaps, registryKey);
  if (registry.data?.[name] === uid) return;
  await client.update(configMaps, { ...registry, data: { ...registry.data, [name]: uid } });
}

async function ensureSecret(client: Client, { metadata }: ConfigMap): Promise<void> {
  const { name = "", uid = "" } = metadata;
  const owner = { apiVersion: "v1", kind: "ConfigMap", name, uid, controller: true };
  await client
    .create(secrets, { metadata: { namespace: siteNamespace, name, ownerReferences: [owner] } })
    .catch(unless("AlreadyExists"));
}

function keyOf({ metadata }: ConfigMap) {
  return { namespace: siteNamespace, name: metadata.name ?? "" };
}

function unless(reason: "AlreadyExists" | "Conflict") {
  return (error: unknown) => {
    if (!isApiError(error, reason)) throw error;
  };
}
