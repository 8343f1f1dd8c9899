import { Resolver } from "node:dns/promises";
import { deployments, isConditionTrue, nodes, type Pod, services } from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import { followPods, whenSeen } from "./seen-by-client.ts";

/** The name of the app, and of its Service. */
export const app = "app";

/**
 * Makes a Deployment of one pod, and a Service before it. Resolves with the pod once it is Ready.
 */
export async function deployApp(client: Client, signal: AbortSignal): Promise<Pod> {
  const labels = { app };
  const metadata = { namespace: "default", name: app };
  const pods = await followPods(client, signal);
  await client.create(
    services,
    {
      apiVersion: "v1",
      kind: "Service",
      metadata,
      spec: { selector: labels, ports: [{ port: 80, protocol: "TCP" }] },
    },
    { namespace: "default" },
  );
  await client.create(
    deployments,
    {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata,
      spec: {
        replicas: 1,
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: { containers: [{ name: app, image: "busybox:1", command: ["httpd", "-f"] }] },
        },
      },
    },
    { namespace: "default" },
  );
  const isReady = (pod: Pod) => isConditionTrue(pod.status?.conditions, "Ready");
  await whenSeen(pods, isReady, { what: "the app's pod is Ready", patienceMs: 60_000 });
  const ready = pods.list().find(isReady);
  if (ready === undefined) throw new Error("the app's pod was Ready, and is no more");
  return ready;
}

/** Returns a resolver that queries the name server of a node, as its pods do. */
export async function resolverOf(client: Client, nodeName: string): Promise<Resolver> {
  const { status } = await client.get(nodes, { namespace: "", name: nodeName });
  const address = status?.addresses?.find(({ type }) => type === "InternalIP")?.address;
  if (address === undefined) throw new Error(`${nodeName} has no address`);
  const resolver = new Resolver({ timeout: 500, tries: 1 });
  resolver.setServers([address]);
  return resolver;
}
