import {
  configMaps,
  cronJobs,
  limitRanges,
  namespaces,
  resourceQuotas,
  serviceAccounts,
  services,
} from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import type { Incident, Kept } from "../incident.ts";
import { openShop, replaceWebPods, shop, shopHarm, shopKept, webKey } from "../shop.ts";

const shopIncident = { baseline: openShop, harm: (client: Client) => shopHarm(client), kept: shopKept };

const quotaKey = { namespace: shop, name: "budget" };
const reportKey = { namespace: shop, name: "report" };
const every = 5 * 60_000;
/** A finalizer of a controller that was removed with its shop. */
const archive = ["ledger.example.com", "archive"].join("/");

/** The quota may grow; without a quota, any user may fill the cluster. */
const quotaKept: Kept = {
  what: "the ResourceQuota budget",
  since: "strike",
  read: async (client) => String(((await client.find(resourceQuotas, quotaKey))?.spec?.hard?.["pods"] ?? "") !== ""),
};

/** Changes of objects other than the workload. */
export const namespaceIncidents: readonly Incident[] = [
  {
    ...shopIncident,
    name: "lost-visitors",
    symptom: "All pods of the shop are healthy, but visitors cannot reach them.",
    cause: "service-selector",
    strike: async ({ client }) => {
      await client.patch(services, webKey, {
        type: "merge",
        body: { spec: { selector: { app: "web", tier: "front" } } },
      });
    },
  },
  {
    ...shopIncident,
    name: "missing-pods",
    symptom: "Since the maintenance of the machines, the shop has fewer pods, and no pod is pending.",
    cause: "quota",
    kept: [...shopKept, quotaKept],
    strike: async ({ client }) => {
      await client.create(resourceQuotas, { metadata: quotaKey, spec: { hard: { pods: "6" } } });
      await replaceWebPods(client);
    },
  },
  {
    ...shopIncident,
    name: "no-new-pods",
    symptom: "Since a policy was tightened, the shop loses pods, and they are not replaced.",
    cause: "limit-range",
    strike: async ({ client }) => {
      const limits = [{ type: "Container", max: { memory: "64Mi" } }];
      await client.create(limitRanges, { metadata: { namespace: shop, name: "small" }, spec: { limits } });
      await replaceWebPods(client);
    },
  },
  {
    ...shopIncident,
    name: "containers-that-do-not-start",
    symptom: "Pods of the shop are bound to nodes, but their containers do not start.",
    cause: "missing-config-map",
    strike: async ({ client }) => {
      await client.delete(configMaps, { namespace: shop, name: "settings" });
      await replaceWebPods(client);
    },
  },
  {
    ...shopIncident,
    name: "nobody-to-run-as",
    symptom: "The shop shrank during the cleanup of old accounts, and does not grow again.",
    cause: "missing-service-account",
    strike: async ({ client }) => {
      await client.delete(serviceAccounts, { namespace: shop, name: "web" });
      await replaceWebPods(client);
    },
  },
  {
    name: "no-report",
    symptom: "The report that is written every five minutes is missing.",
    cause: "cronjob-suspended",
    baseline: async (client) => {
      await openShop(client);
      const container = {
        name: "report",
        image: "registry.example.com/shop/report:2",
        command: ["sh", "-c", "sleep 2"],
      };
      const template = { spec: { restartPolicy: "Never" as const, containers: [container] } };
      await client.create(cronJobs, {
        metadata: reportKey,
        spec: { schedule: "*/5 * * * *", jobTemplate: { spec: { template } } },
      });
    },
    strike: async ({ client }) => {
      await client.patch(cronJobs, reportKey, { type: "merge", body: { spec: { suspend: true } } });
    },
    harm: async (client, nowMs) => {
      const report = await client.find(cronJobs, reportKey);
      const last = report?.status?.lastSuccessfulTime;
      const ageMs = last === undefined ? Infinity : nowMs - timeOf(last);
      return ageMs > 2 * every ? "the report has not been written at two scheduled times" : undefined;
    },
    kept: [
      ...shopKept,
      {
        what: "the CronJob report",
        read: async (client) => {
          const found = await client.find(cronJobs, reportKey);
          return JSON.stringify([found?.metadata.uid, found?.spec.schedule]);
        },
      },
    ],
  },
  {
    name: "namespace-that-stays",
    symptom: "The namespace of the old shop was deleted, and its name cannot be reused.",
    cause: "finalizer-without-owner",
    baseline: async (client) => {
      await openShop(client);
      await client.create(namespaces, { metadata: { name: "old-shop" } });
      await client.create(configMaps, {
        metadata: { namespace: "old-shop", name: "ledger", finalizers: [archive] },
        data: { entries: "[]" },
      });
    },
    strike: ({ client }) => client.delete(namespaces, { namespace: "", name: "old-shop" }),
    harm: async (client) => {
      const found = await client.find(namespaces, { namespace: "", name: "old-shop" });
      return found?.metadata.deletionTimestamp === undefined
        ? undefined
        : "the namespace old-shop is still terminating";
    },
    kept: shopKept,
  },
];

function timeOf(text: string): number {
  // oxlint-disable-next-line no-restricted-globals -- parses a time of the API, reads no clock
  return Date.parse(text);
}
