import { deployments, nodes, pods, priorityClasses, type Taint, validatingWebhookConfigurations } from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import type { Incident, IncidentWorld, Kept } from "../incident.ts";
import { openShop, replaceWebPods, shop, shopHarm, shopKept } from "../shop.ts";

const shopIncident = { baseline: openShop, harm: (client: Client) => shopHarm(client), kept: shopKept };

const batchKey = { namespace: shop, name: "batch" };

/**
 * The solution may make the batch smaller or less important, but the batch must still be completed.
 */
const batchKept: Kept = {
  what: "the Deployment batch",
  since: "strike",
  read: async (client) => {
    const found = await client.find(deployments, batchKey);
    return JSON.stringify([found?.metadata.uid, (found?.spec?.replicas ?? 0) > 0]);
  },
};

async function onEachNode({ client, nodes: names }: IncidentWorld, spec: object): Promise<void> {
  for (const name of names) await client.patch(nodes, { namespace: "", name }, { type: "merge", body: { spec } });
}

const taint: Taint = { key: "reserved", value: "batch", effect: "NoExecute" };

/** Changes of nodes, and of objects that all namespaces share. */
export const clusterIncidents: readonly Incident[] = [
  {
    ...shopIncident,
    name: "database-that-lost-a-member",
    scenario: "node-dead",
    symptom: "The database has lacked one member for a quarter of an hour, and the member is not replaced.",
    cause: "node-dead",
    strike: async ({ client, random, killNode }) => {
      const { items } = await client.list(pods, { namespace: shop, labelSelector: "app=database" });
      const names = items.flatMap(({ spec }) => spec?.nodeName ?? []);
      await killNode(names[random.integer(names.length)] ?? "node-1");
    },
    // The web recovers by itself after several minutes; the database recovers only when a user
    // acts.
    harm: (client) => shopHarm(client),
  },
  {
    ...shopIncident,
    name: "nowhere-to-go",
    symptom: "Since the evening, pods of the shop are not assigned to a node, although the machines are idle.",
    cause: "nodes-cordoned",
    strike: async (world) => {
      await onEachNode(world, { unschedulable: true });
      await replaceWebPods(world.client);
    },
  },
  {
    ...shopIncident,
    name: "driven-out",
    symptom: "All pods of the shop disappeared from their nodes at the same moment.",
    cause: "nodes-tainted",
    strike: (world) => onEachNode(world, { taints: [taint] }),
  },
  {
    ...shopIncident,
    name: "nothing-is-created",
    symptom: "Pods can no longer be created, by any user.",
    cause: "webhook-away",
    strike: async ({ client }) => {
      await client.create(validatingWebhookConfigurations, {
        metadata: { name: "policy" },
        webhooks: [
          {
            name: "policy.example.com",
            clientConfig: { url: "https://127.0.0.1:9/validate" },
            rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["pods"] }],
            failurePolicy: "Fail",
            sideEffects: "None",
            timeoutSeconds: 1,
            admissionReviewVersions: ["v1"],
          },
        ],
      });
      await replaceWebPods(client);
    },
  },
  {
    ...shopIncident,
    name: "pushed-aside",
    symptom: "Pods of the shop disappear when the nightly jobs begin.",
    cause: "preempted",
    kept: [...shopKept, batchKept],
    strike: async ({ client, nodes: names }) => {
      await client.create(priorityClasses, { metadata: { name: "night" }, value: 1_000_000, globalDefault: false });
      const node = await client.get(nodes, { namespace: "", name: names[0] ?? "" });
      const cpus = Math.floor(Number(node.status?.allocatable?.["cpu"] ?? "1"));
      const labels = { app: "batch" };
      const container = { name: "main", image: "batch", resources: { requests: { cpu: `${cpus * 1000 - 100}m` } } };
      await client.create(deployments, {
        metadata: batchKey,
        spec: {
          replicas: names.length,
          selector: { matchLabels: labels },
          template: { metadata: { labels }, spec: { priorityClassName: "night", containers: [container] } },
        },
      });
    },
  },
];
