import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import {
  configMaps,
  persistentVolumeClaims,
  pods,
  services,
  silentLogger,
  statefulSets,
  validatingWebhookConfigurations,
} from "@kintsugi/api";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { expect, test } from "vitest";
import { program, startServedCluster, type ServedCluster } from "./factory.ts";

const deps = { clock: systemClock, random: systemRandom, log: silentLogger };
const namespace = "default";
const minute = { durationMs: 60_000, giveClientsMs: 0 };

async function start(...flags: string[]): Promise<ServedCluster> {
  const server = await startServedCluster(deps, program.readConfig(["--clock=steered", ...flags]));
  await server.nodesReady;
  return server;
}

function aClaim(name: string, storageClassName?: string) {
  const resources = { requests: { storage: "1Gi" } };
  return {
    metadata: { namespace, name },
    spec: { accessModes: ["ReadWriteOnce" as const], resources, ...(storageClassName && { storageClassName }) },
  };
}

test("with volumes, claims get disks: immediately by one class, with their pods by the default class", async () => {
  await using server = await start("--nodes=2", "--volumes");
  const { client } = server;
  await client.create(persistentVolumeClaims, aClaim("now", "immediate"));
  await client.create(persistentVolumeClaims, aClaim("waiting"));
  const labels = { app: "db" };
  await client.create(statefulSets, {
    metadata: { namespace, name: "db" },
    spec: {
      serviceName: "db",
      replicas: 2,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { containers: [{ name: "c", image: "db", volumeMounts: [{ name: "data", mountPath: "/data" }] }] },
      },
      volumeClaimTemplates: [aClaim("data")],
    },
  });
  await server.steering?.advance(minute);
  const claims = (await client.list(persistentVolumeClaims, { namespace })).items;
  expect(Object.fromEntries(claims.map(({ metadata, status }) => [metadata.name, status?.phase]))).toEqual({
    "data-db-0": "Bound",
    "data-db-1": "Bound",
    now: "Bound",
    waiting: "Pending",
  });
  const phases = (await client.list(pods, { namespace })).items.map(({ status }) => status?.phase);
  expect(phases).toEqual(["Running", "Running"]);
});

test("with a cloud, a Service of type LoadBalancer gets an address; without a cloud it waits", async () => {
  const balancer = {
    metadata: { namespace, name: "web" },
    spec: { type: "LoadBalancer" as const, ports: [{ port: 80 }], selector: { app: "web" } },
  };
  await using server = await start("--nodes=1", "--cloud");
  await server.client.create(services, balancer);
  await server.steering?.advance(minute);
  const { status } = await server.client.get(services, { namespace, name: "web" });
  expect(status?.loadBalancer?.ingress).toEqual([expect.objectContaining({ ip: "203.0.113.1" })]);
  await server.client.delete(services, { namespace, name: "web" });
  await server.steering?.advance(minute);
  expect(await server.client.find(services, { namespace, name: "web" })).toBeUndefined();
});

test("calls a webhook of this host that is registered by its URL", async () => {
  await using server = await start("--nodes=0");
  const { authority } = server.identities;
  const { certificate: cert, key } = await authority.issue({
    commonName: "hook",
    usages: ["server"],
    ipAddresses: ["127.0.0.1"],
  });
  const hook = createServer({ cert, key }, (request, response) => {
    let text = "";
    request.on("data", (piece: Buffer) => (text += piece.toString()));
    request.on("end", () => {
      const { uid, name } = (JSON.parse(text) as { request: { uid: string; name: string } }).request;
      const answer = { uid, allowed: name !== "forbidden", status: { message: "not this one" } };
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", response: answer }));
    });
  }).listen(0, "127.0.0.1");
  await once(hook, "listening");
  const { port } = hook.address() as AddressInfo;
  const caBundle = Buffer.from(authority.certificate).toString("base64");
  await server.client.create(validatingWebhookConfigurations, {
    metadata: { name: "hook" },
    webhooks: [
      {
        name: "hook.example.com",
        clientConfig: { url: `https://127.0.0.1:${port}/`, caBundle },
        rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] }],
        sideEffects: "None",
        admissionReviewVersions: ["v1"],
      },
    ],
  });
  await server.client.create(configMaps, { metadata: { namespace, name: "fine" } });
  await expect(server.client.create(configMaps, { metadata: { namespace, name: "forbidden" } })).rejects.toThrow(
    /not this one/,
  );
  hook.closeAllConnections();
  hook.close();
});
