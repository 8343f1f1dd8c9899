import {
  type Container,
  configMaps,
  deployments,
  endpointSlices,
  namespaces,
  type Pod,
  type PodSpec,
  pods,
  serviceAccounts,
  services,
  statefulSets,
} from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import type { Kept } from "./incident.ts";

// The workloads of all incidents: a shop of six pods behind a Service, with its configuration and
// account, and a database of three pods.

export const shop = "shop";
export const webKey = { namespace: shop, name: "web" };
const databaseKey = { namespace: shop, name: "database" };
const webReplicas = 6;
const databaseReplicas = 3;

const labelsOf = (app: string) => ({ app });

function container(changes: Partial<Container>): Container {
  return { name: "main", image: "registry.example.com/shop/web:1.4", ...changes };
}

/** The pods of the web: one container that reads its settings. */
function webPods(): PodSpec {
  const env = [{ name: "MODE", valueFrom: { configMapKeyRef: { name: "settings", key: "mode" } } }];
  const resources = { requests: { cpu: "500m", memory: "128Mi" } };
  return { serviceAccountName: "web", containers: [container({ env, resources })] };
}

export async function openShop(client: Client): Promise<void> {
  await client.create(namespaces, { metadata: { name: shop } });
  await client.create(serviceAccounts, { metadata: { namespace: shop, name: "web" } });
  await client.create(configMaps, { metadata: { namespace: shop, name: "settings" }, data: { mode: "production" } });
  await client.create(services, { metadata: webKey, spec: { selector: labelsOf("web"), ports: [{ port: 80 }] } });
  await client.create(deployments, {
    metadata: webKey,
    spec: {
      replicas: webReplicas,
      selector: { matchLabels: labelsOf("web") },
      template: { metadata: { labels: labelsOf("web") }, spec: webPods() },
    },
  });
  await client.create(statefulSets, {
    metadata: databaseKey,
    spec: {
      serviceName: "database",
      replicas: databaseReplicas,
      podManagementPolicy: "Parallel",
      selector: { matchLabels: labelsOf("database") },
      template: { metadata: { labels: labelsOf("database") }, spec: { containers: [container({})] } },
    },
  });
}

/** Returns a sentence if the shop does not work as before. */
export async function shopHarm(client: Client): Promise<string | undefined> {
  const web = await client.find(deployments, webKey);
  const available = web?.status?.availableReplicas ?? 0;
  if (available < webReplicas) return `${available} of ${webReplicas} pods of the web are available`;
  const { updatedReplicas = 0, replicas = 0, observedGeneration = 0 } = web?.status ?? {};
  if (observedGeneration < (web?.metadata.generation ?? 0) || updatedReplicas < replicas)
    return "a change of the web is not rolled out yet";
  const reached = await reachedPods(client);
  if (reached < webReplicas) return `the Service of the web routes to ${reached} of ${webReplicas} pods`;
  const database = await client.find(statefulSets, databaseKey);
  const ready = database?.status?.readyReplicas ?? 0;
  return ready < databaseReplicas ? `${ready} of ${databaseReplicas} pods of the database are ready` : undefined;
}

async function reachedPods(client: Client): Promise<number> {
  const { items } = await client.list(endpointSlices, {
    namespace: shop,
    labelSelector: "kubernetes.io/service-name=web",
  });
  return items.flatMap(({ endpoints }) => endpoints ?? []).filter(({ conditions }) => conditions?.ready === true)
    .length;
}

/** The workloads are the same at the end, and as large. */
export const shopKept: readonly Kept[] = [
  {
    what: "the Deployment web",
    read: async (client) => {
      const found = await client.find(deployments, webKey);
      return JSON.stringify([found?.metadata.uid, found?.spec?.replicas]);
    },
  },
  {
    what: "the program of the web",
    read: async (client) => {
      const { serviceAccountName, containers = [] } =
        (await client.find(deployments, webKey))?.spec?.template.spec ?? {};
      return JSON.stringify([serviceAccountName, containers.map(programOf)]);
    },
  },
  {
    what: "the StatefulSet database",
    read: async (client) => {
      const found = await client.find(statefulSets, databaseKey);
      return JSON.stringify([found?.metadata.uid, found?.spec?.replicas]);
    },
  },
  {
    what: "the Service web",
    read: async (client) => JSON.stringify((await client.find(services, webKey))?.metadata.uid),
  },
];

/** An image of another version is the same program. */
function programOf({ image, command, args, env }: Container): unknown[] {
  return [image?.replace(/:[^:/]*$/, ""), command, args, env];
}

/** Changes the pods of the web, as a new revision does. */
export async function changeWeb(client: Client, spec: Record<string, unknown>): Promise<void> {
  await client.patch(deployments, webKey, { type: "strategic", body: { spec: { template: { spec } } } });
}

/** Changes the container of the web. */
export function changeContainer(client: Client, changes: Partial<Container>): Promise<void> {
  return changeWeb(client, { containers: [{ name: "main", ...changes }] });
}

/**
 * Removes the web's pods, as a drain or a restart of machines does, so that new pods are created.
 */
export async function replaceWebPods(client: Client, isMeant: (pod: Pod) => boolean = () => true): Promise<void> {
  const { items } = await client.list(pods, { namespace: shop, labelSelector: "app=web" });
  for (const { metadata } of items.filter(isMeant))
    await client.delete(pods, { namespace: shop, name: metadata.name ?? "" }, { gracePeriodSeconds: 0 });
}
