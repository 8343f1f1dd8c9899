import { deployments, isPodReady, type Pod } from "@kintsugi/api";
import type { Client, Informer } from "@kintsugi/client";
import { eventually } from "../../support/run-program.ts";
import { podSpec } from "./perf-workloads.ts";

// The pods of one Deployment, which is scaled from 0 and watched.

const app = "bench-scale";
const key = { namespace: "default", name: app };
/** A filling below this rate is aborted. */
const slowestPerSecond = 20;
const fillPatienceMinMs = 480_000;

/** Scales the Deployment to a number of pods. Returns the time until all of them were Ready. */
export async function fill(
  client: Client,
  { informer, count, preferred }: { informer: Informer<Pod>; count: number; preferred?: string },
): Promise<number> {
  const startedMs = performance.now();
  await client.create(deployments, {
    metadata: key,
    spec: {
      replicas: count,
      selector: { matchLabels: { app } },
      template: {
        metadata: { labels: { app } },
        spec: { ...templateSpec(), ...(preferred === undefined ? {} : { affinity: affinityTo(preferred) }) },
      },
    },
  });
  const patienceMs = patienceFor(count);
  await until(informer, { what: `${count} pods are Ready`, patienceMs }, (ready) => ready === count);
  return performance.now() - startedMs;
}

function templateSpec() {
  const spec = podSpec({});
  return { ...spec, containers: [{ name: "pause", image: "registry.k8s.io/pause:3.9" }] };
}

function affinityTo(nodeName: string) {
  const term = { matchExpressions: [{ key: "kubernetes.io/hostname", operator: "In" as const, values: [nodeName] }] };
  return { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 100, preference: term }] } };
}

/** Deletes the Deployment, and waits until its pods no longer exist. */
export async function empty(client: Client, informer: Informer<Pod>): Promise<void> {
  const patienceMs = patienceFor(podsOfCrowd(informer).length);
  await client.delete(deployments, key, { propagationPolicy: "Background" });
  await eventually("the pods are gone", async () => podsOfCrowd(informer).length === 0, patienceMs);
}

function patienceFor(count: number): number {
  return Math.max(fillPatienceMinMs, (count / slowestPerSecond) * 1000);
}

/** The pods of the Deployment. */
export function podsOfCrowd(informer: Informer<Pod>): readonly Pod[] {
  return informer.list().filter(({ metadata }) => metadata.labels?.["app"] === app);
}

interface Wanted {
  what: string;
  patienceMs: number;
  counts?: (pod: Pod) => boolean;
}

/** Resolves when `isDone` returns true for the number of Ready pods, as observed by a watch. */
export function until(
  informer: Informer<Pod>,
  { what, patienceMs, counts = () => true }: Wanted,
  isDone: (ready: number) => boolean,
): Promise<void> {
  const ready = new Set<string>();
  return new Promise((resolve, reject) => {
    let stop = () => {};
    const timer = setTimeout(() => {
      stop();
      reject(new Error(`not within ${patienceMs / 1000} s, with ${ready.size} Ready: ${what}`));
    }, patienceMs);
    stop = informer.onChange(({ type, object }) => {
      if (object.metadata.labels?.["app"] !== app || !counts(object)) return;
      const { uid = "", deletionTimestamp } = object.metadata;
      if (type !== "deleted" && deletionTimestamp === undefined && isPodReady(object)) ready.add(uid);
      else ready.delete(uid);
      if (!isDone(ready.size)) return;
      clearTimeout(timer);
      // The handler may run while it is being added, before it can be stopped.
      queueMicrotask(() => stop());
      resolve();
    });
  });
}
