import { describeSamples, type Distribution } from "../distribution.ts";
import type { Figure } from "../figure.ts";
import { type Connection, openConnection, requestBytes, type ServerAccess } from "./http-connection.ts";

// Uses plain Kubernetes HTTP, so the same run can use any API server through a kubeconfig.

export interface LoadOptions {
  /** The length of each measurement. */
  durationMs: number;
}

interface LoadResult {
  perSecond: number;
  latencyMs: Distribution;
  refused: number;
}

const clientCounts = [1, 16, 64] as const;
const namespace = "kintsugi-bench";
const collection = `/api/v1/namespaces/${namespace}/pods`;

/** Goals of create and get by number of clients, per second; of latency in ms. */
const goals: Readonly<Record<string, number>> = {
  "create.64.rate": 8_000,
  "create.64.p99": 30,
  "create.1.p50": 0.9,
  "create.1.p99": 6,
  "get.64.rate": 30_000,
  "get.64.p99": 5,
};

/** Creates, gets and lists pods in a separate namespace, which is deleted afterwards. */
export async function measureApi(access: ServerAccess, options: LoadOptions): Promise<Figure[]> {
  const figures: Figure[] = [];
  try {
    await sendAlone(
      access,
      requestBytes(
        access,
        "POST",
        "/api/v1/namespaces",
        JSON.stringify({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } }),
      ),
    );
    let serial = 0;
    for (const clients of clientCounts) {
      const result = await load(access, { ...options, clients, expected: 201 }, () =>
        requestBytes(access, "POST", collection, podJson(`p-${serial++}`)),
      );
      figures.push(...describe("create", clients, result));
    }
    const created = serial;
    for (const clients of clientCounts) {
      let next = 0;
      const result = await load(access, { ...options, clients, expected: 200 }, () =>
        requestBytes(access, "GET", `${collection}/p-${next++ % created}`),
      );
      figures.push(...describe("get", clients, result));
    }
    for (const clients of clientCounts) {
      const result = await load(access, { ...options, clients, expected: 200 }, () =>
        requestBytes(access, "GET", `${collection}?limit=500`),
      );
      figures.push(...describe("list of 500", clients, result));
    }
    return figures;
  } finally {
    await sendAlone(
      access,
      requestBytes(
        access,
        "DELETE",
        collection,
        JSON.stringify({ kind: "DeleteOptions", apiVersion: "v1", gracePeriodSeconds: 0 }),
      ),
    );
    await sendAlone(access, requestBytes(access, "DELETE", `/api/v1/namespaces/${namespace}`));
  }
}

/**
 * Sends a request on a separate connection, because the server closes connections that are idle for
 * the 90 s that a measurement on a busy machine can take.
 */
async function sendAlone(access: ServerAccess, request: Buffer): Promise<void> {
  const connection = await openConnection(access);
  try {
    await connection.send(request);
  } finally {
    connection.close();
  }
}

export interface Load extends LoadOptions {
  clients: number;
  /** The status of a request that succeeded. */
  expected: number;
}

/** Sends requests by a number of clients, each on a connection of its own, for a time. */
export async function load(
  access: ServerAccess,
  { clients, durationMs, expected }: Load,
  next: () => Buffer,
): Promise<LoadResult> {
  const connections = await Promise.all(Array.from({ length: clients }, () => openConnection(access)));
  const samples: number[] = [];
  let refused = 0;
  const startedMs = performance.now();
  const until = startedMs + durationMs;
  const work = async (connection: Connection) => {
    while (performance.now() < until) {
      const sentMs = performance.now();
      const status = await connection.send(next());
      samples.push(performance.now() - sentMs);
      if (status !== expected) refused++;
    }
  };
  await Promise.all(connections.map(work));
  const tookMs = performance.now() - startedMs;
  for (const connection of connections) connection.close();
  return { perSecond: ((samples.length - refused) * 1000) / tookMs, latencyMs: describeSamples(samples), refused };
}

function describe(verb: string, clients: number, result: LoadResult): Figure[] {
  const { perSecond, latencyMs, refused } = result;
  const id = (name: string) => `${verb.replaceAll(" ", "-")}.${clients}.${name}`;
  const figure = (name: string, value: number, unit: "/s" | "ms"): Figure => {
    const goal = goals[id(name)];
    return {
      id: `api.${id(name)}`,
      what: `${verb}, ${clients} client${clients === 1 ? "" : "s"}, ${name}`,
      value,
      unit,
      ...(goal === undefined ? {} : { goal }),
      detail: `${latencyMs.count} requests${refused > 0 ? `, ${refused} refused` : ""}`,
    };
  };
  return [figure("rate", perSecond, "/s"), figure("p50", latencyMs.p50, "ms"), figure("p99", latencyMs.p99, "ms")];
}

/**
 * A pod of about 1.5 KB, as scheduler_perf's; it is never bound, so that only the API is measured.
 */
export function podJson(name: string, inNamespace: string = namespace): string {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      namespace: inNamespace,
      labels: { app: "bench", tier: "load", "app.kubernetes.io/name": "bench" },
      annotations: { note: "x".repeat(600) },
    },
    spec: {
      schedulerName: "nobody",
      containers: [
        {
          name: "c",
          image: "registry.k8s.io/pause:3.9",
          env: Array.from({ length: 8 }, (_, i) => ({ name: `VARIABLE_${i}`, value: `value-${i}` })),
          resources: { requests: { cpu: "100m", memory: "500Mi" }, limits: { cpu: "100m", memory: "500Mi" } },
          ports: [{ containerPort: 80 }],
        },
      ],
    },
  });
}
