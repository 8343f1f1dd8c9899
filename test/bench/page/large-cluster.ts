import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createDashboardRoute, readDashboardFiles } from "@kintsugi/api-server/factory";
import { systemClock } from "@kintsugi/clock";
import { repository } from "../../support/lab-cluster.ts";

export interface LargeCluster extends AsyncDisposable {
  /** The address of the page. */
  readonly url: string;
  /** The number of changes that were sent so far. */
  changes(): number;
  /** Sends a pod of that name after all changes so far. */
  mark(name: string): void;
}

interface Size {
  readonly nodes: number;
  readonly podsPerNode: number;
  /** Pods that change their state each second. */
  readonly changesPerSecond: number;
  /** Every second change replaces its pod by a new pod. */
  readonly replaces?: boolean;
}

/** Pods of each workload. */
const crowd = 100;
const bootedAt = "2026-01-01T00:00:00Z";

/**
 * Serves the page with a cluster that is made of text, so that the page's work with its objects is
 * measured without an API server that uses the processor.
 * @throws when the page is not bundled
 */
export async function serveLargeCluster({
  nodes,
  podsPerNode,
  changesPerSecond,
  replaces = false,
}: Size): Promise<LargeCluster> {
  const files = await readDashboardFiles([join(repository, "apps/dashboard/bundle")]);
  if (files === undefined) throw new Error("the dashboard is not bundled: run `npm run bundle` first");
  const route = createDashboardRoute({ files, clusterName: "large", profile: "default" }, systemClock);
  const count = nodes * podsPerNode;
  const lists: Readonly<Record<string, string>> = {
    "/api/v1/pods": listOf(Array.from({ length: count }, (_, index) => podOf(index, nodes, true))),
    "/api/v1/nodes": listOf(Array.from({ length: nodes }, (_, index) => nodeOf(index))),
    "/apis/apps/v1/replicasets": listOf(Array.from({ length: Math.ceil(count / crowd) }, (_, index) => setOf(index))),
  };
  const watchers = new Set<ServerResponse>();
  let changed = 0;
  const send = (type: string, object: object) => {
    for (const watcher of watchers) watcher.write(`${JSON.stringify({ type, object })}\n`);
  };
  /** The pods that replaced others, by the numbers of the original pods. */
  const successors = new Map<number, number>();
  let made = count;
  const change = () => {
    const number = (changed * 7_919) % count;
    const pod = podOf(successors.get(number) ?? number, nodes, changed % 2 === 0);
    pod.metadata.resourceVersion = String(1_000_000 + changed++);
    if (!replaces || changed % 2 !== 0) return send("MODIFIED", pod);
    send("DELETED", pod);
    successors.set(number, made);
    const next = podOf(made++, nodes, true);
    next.metadata.resourceVersion = pod.metadata.resourceVersion;
    return send("ADDED", next);
  };
  // A timer takes at least a millisecond.
  const changesAtOnce = Math.ceil(changesPerSecond / 200);
  const timer = setInterval(
    () => {
      for (let i = 0; i < changesAtOnce; i++) change();
    },
    (1000 * changesAtOnce) / changesPerSecond,
  );
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
    if (pathname.startsWith("/dashboard")) {
      const asked = { method: "GET", path: pathname, headers: request.headers } as never;
      const answer = route(asked, asked, undefined as never) as
        | { status: number; headers: Record<string, string>; body: Uint8Array }
        | undefined;
      response.writeHead(answer?.status ?? 404, answer?.headers);
      response.end(answer?.body);
    } else if (pathname.endsWith("/timeline")) {
      // The page derives the steps from the changes that it observes.
      const refusal = { kind: "Status", apiVersion: "v1", status: "Failure", reason: "Forbidden", code: 403 };
      response.writeHead(403, { "content-type": "application/json" });
      response.end(JSON.stringify(refusal));
    } else if (searchParams.has("watch")) {
      response.writeHead(200, { "content-type": "application/json" });
      response.flushHeaders();
      if (pathname !== "/api/v1/pods") return;
      watchers.add(response);
      response.once("close", () => watchers.delete(response));
    } else {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(lists[pathname] ?? listOf([]));
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/dashboard/`,
    changes: () => changed,
    mark: (name) => {
      const pod = podOf(0, nodes, true);
      const own = { uid: `pod-${name}`, name, resourceVersion: String(1_000_000 + changed) };
      send("ADDED", { ...pod, metadata: { ...pod.metadata, ...own } });
    },
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function listOf(items: readonly object[]): string {
  return JSON.stringify({ metadata: { resourceVersion: "1000000" }, items });
}

const crowdName = (index: number) => `web-${Math.floor(index / crowd)}`;

function metadataOf(name: string, kind: string) {
  return { name, namespace: "default", uid: `${kind}-${name}`, resourceVersion: "1", creationTimestamp: bootedAt };
}

function setOf(index: number): object {
  const labels = { app: `web-${index}` };
  return {
    metadata: { ...metadataOf(`web-${index}`, "rs"), labels },
    spec: { replicas: crowd, selector: { matchLabels: labels }, template: { metadata: { labels } } },
    status: { replicas: crowd, readyReplicas: crowd },
  };
}

function podOf(index: number, nodes: number, isReady: boolean) {
  const owner = crowdName(index);
  const ready = { status: isReady ? "True" : "False", lastTransitionTime: bootedAt };
  return {
    metadata: {
      ...metadataOf(`${owner}-${index}`, "pod"),
      labels: { app: owner },
      ownerReferences: [
        { apiVersion: "apps/v1", kind: "ReplicaSet", name: owner, uid: `rs-${owner}`, controller: true },
      ],
    },
    spec: { nodeName: `node-${index % nodes}`, containers: [{ name: "main", image: "busybox:1" }] },
    status: {
      phase: "Running",
      podIP: "10.0.0.1",
      startTime: bootedAt,
      conditions: ["Initialized", "Ready", "ContainersReady", "PodScheduled"].map((type) => ({ type, ...ready })),
      containerStatuses: [
        {
          name: "main",
          ready: isReady,
          restartCount: 0,
          image: "busybox:1",
          state: { running: { startedAt: bootedAt } },
        },
      ],
    },
  };
}

function nodeOf(index: number): object {
  return {
    metadata: { ...metadataOf(`node-${index}`, "node"), namespace: undefined, labels: { zone: `zone-${index % 3}` } },
    spec: {},
    status: {
      capacity: { cpu: "8", memory: "32Gi", pods: "110" },
      conditions: [{ type: "Ready", status: "True", lastTransitionTime: bootedAt, lastHeartbeatTime: bootedAt }],
    },
  };
}
