import { deployments, horizontalPodAutoscalers } from "@kintsugi/api";
import type { Incident } from "../incident.ts";
import { changeContainer, changeWeb, openShop, replaceWebPods, shopHarm, shopKept, webKey } from "../shop.ts";

const shopIncident = {
  baseline: openShop,
  harm: (client: Parameters<typeof shopHarm>[0]) => shopHarm(client),
  kept: shopKept,
};

/** Changes of the workload itself. */
export const revisionIncidents: readonly Incident[] = [
  {
    ...shopIncident,
    name: "stuck-release",
    scenario: "rollout-stops",
    symptom: "The release of this morning never finishes, and the shop has fewer pods than before.",
    cause: "bad-image",
    strike: ({ client }) => changeContainer(client, { image: "script.kintsugi.dev/pull-error:1.5" }),
  },
  {
    ...shopIncident,
    name: "restarting-pods",
    scenario: "crash-loop-for-ever",
    symptom: "Some pods of the shop restart again and again.",
    cause: "bad-command",
    strike: ({ client }) => changeContainer(client, { command: ["sh", "-c", "sleep 3; exit 1"] }),
  },
  {
    ...shopIncident,
    name: "never-ready",
    scenario: "probe-failure",
    symptom: "New pods of the shop run but receive no requests.",
    cause: "bad-probe",
    strike: ({ client }) =>
      changeContainer(client, {
        readinessProbe: { exec: { command: ["sh", "-c", "exit 1"] }, periodSeconds: 5, failureThreshold: 2 },
      }),
  },
  {
    ...shopIncident,
    name: "waiting-pods",
    scenario: "no-room-left",
    symptom: "Pods of the shop have been waiting for a node since the last change.",
    cause: "no-room",
    strike: ({ client }) => changeContainer(client, { resources: { requests: { cpu: "500", memory: "128Mi" } } }),
  },
  {
    ...shopIncident,
    name: "silent-pods",
    symptom: "Pods of the shop wait, and there are no events about them.",
    cause: "scheduler-name",
    strike: async ({ client }) => {
      await changeWeb(client, { schedulerName: "shop-scheduler" });
      await replaceWebPods(client);
    },
  },
  {
    ...shopIncident,
    name: "tired-pods",
    scenario: "out-of-memory",
    symptom: "Since the release, pods of the shop work for a minute, and are down for longer each time.",
    cause: "memory-limit",
    strike: ({ client }) =>
      changeContainer(client, {
        command: ["sh", "-c", "sleep 60; tail /dev/zero"],
        resources: { requests: { cpu: "500m", memory: "128Mi" }, limits: { memory: "128Mi" } },
      }),
  },
  {
    ...shopIncident,
    name: "small-again",
    symptom: "The shop shrank an hour after the release, and returns to that size after every scale-up.",
    cause: "autoscaler-bounds",
    strike: async ({ client }) => {
      const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "web" };
      await client.create(horizontalPodAutoscalers, {
        metadata: webKey,
        spec: { scaleTargetRef, minReplicas: 1, maxReplicas: 2 },
      });
    },
  },
  {
    ...shopIncident,
    name: "half-a-shop",
    symptom: "The shop has been slow since last night, although nothing restarts and nothing fails.",
    cause: "scaled-down",
    // The Deployment is the same at the end, and as large as it was before the night.
    strike: async ({ client }) => {
      await client.patch(deployments, webKey, { type: "merge", body: { spec: { replicas: 2 } } });
    },
  },
];
