import { type ApiServerProcess, prepareApiServer } from "../../support/servers/api-server-process.ts";
import { openConnection, requestBytes } from "../api/http-connection.ts";
import type { Figure } from "../figure.ts";

// Heartbeats of many nodes for a long time. The heap right after a collection is seldom visible
// from outside, but the minimum in a tenth of the run is close to it:
//
//   the minimum heap in use grows         a leak, or a ledger that is not full yet
//   it is constant, the process grows     slack of the allocators
//   external memory grows with it         buffers: entries of the store

const collection = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";
/** Connections that carry the heartbeats. */
const clients = 16;
const sampleEveryMs = 1_000;
/** The number of parts in which the run is inspected; the first part is reserved for the start. */
const parts = 10;

export interface SoakOptions {
  durationMs: number;
  nodes: number;
  /** Heartbeats per second of all nodes together; 0 for the server's maximum. */
  perSecond: number;
}

/** The memory of an API server under heartbeats, at the beginning and at the end. */
export async function measureSoak(options: SoakOptions): Promise<Figure[]> {
  await using server = await prepareApiServer();
  await server.start();
  await createLeases(server, options.nodes);
  const samples: Sample[] = [];
  const until = performance.now() + options.durationMs;
  const beating = beat(server, options, until);
  while (performance.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, sampleEveryMs));
    samples.push(await sample(server));
  }
  const beats = await beating;
  return figuresOf(samples, beats, options);
}

interface Sample {
  rssMb: number;
  heapMb: number;
  externalMb: number;
}

function figuresOf(samples: readonly Sample[], beats: number, { nodes, durationMs }: SoakOptions): Figure[] {
  const size = Math.max(1, Math.floor(samples.length / parts));
  // The first part includes the server's start.
  const [early, late] = [samples.slice(size, 2 * size), samples.slice(-size)];
  const millions = (beats * (1 - 1.5 / parts)) / 1_000_000;
  const scope = `${nodes} nodes, ${(durationMs / 60_000).toFixed(1)} min, ${beats} heartbeats`;
  const figure = (field: keyof Sample, what: string, of: (values: readonly number[]) => number): Figure => {
    const [before, after] = [early, late].map((part) => of(part.map((each) => each[field])));
    const growth = (after ?? 0) - (before ?? 0);
    return {
      id: `soak.${nodes}.${field}`,
      what: `${what}, ${scope}`,
      value: growth,
      unit: "MB",
      detail: `${(before ?? 0).toFixed(0)} → ${(after ?? 0).toFixed(0)} MB; ${(growth / millions).toFixed(1)} MB for a million heartbeats`,
    };
  };
  const least = (values: readonly number[]) => Math.min(...values);
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  return [
    figure("rssMb", "growth of the process", mean),
    figure("heapMb", "growth of the heap that is in use", least),
    figure("externalMb", "growth of the memory outside of the heap", least),
  ];
}

async function createLeases({ access }: ApiServerProcess, nodes: number): Promise<void> {
  let next = 0;
  await onConnections(access, async (connection) => {
    for (let i = next++; i < nodes; i = next++) {
      const metadata = { name: `node-${i}`, namespace: "kube-node-lease" };
      const spec = { holderIdentity: metadata.name, leaseDurationSeconds: 40 };
      const body = JSON.stringify({ apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata, spec });
      const status = await connection.send(requestBytes(access, "POST", collection, body));
      if (status !== 201) throw new Error(`creating a Lease was answered ${status}`);
    }
  });
}

/** Renews the Leases in turn. Returns the number of renewals. */
async function beat({ access }: ApiServerProcess, { nodes, perSecond }: SoakOptions, until: number): Promise<number> {
  const startedMs = performance.now();
  let beats = 0;
  await onConnections(access, async (connection) => {
    while (performance.now() < until) {
      const i = beats++;
      const dueMs = perSecond === 0 ? 0 : startedMs + (i * 1000) / perSecond;
      const waitMs = dueMs - performance.now();
      if (waitMs > 1) await new Promise((resolve) => setTimeout(resolve, waitMs));
      const status = await connection.send(renewal(access, `node-${i % nodes}`));
      if (status !== 200) throw new Error(`a heartbeat was answered ${status}`);
    }
  });
  return beats;
}

/** The patch by which a kubelet renews its Lease. */
function renewal(access: ApiServerProcess["access"], name: string): Buffer {
  const renewTime = new Date().toISOString().replace("Z", "000Z");
  const body = Buffer.from(JSON.stringify({ spec: { renewTime } }));
  const head = requestBytes(access, "PATCH", `${collection}/${name}`).subarray(0, -2);
  const fields = `content-type: application/merge-patch+json\r\ncontent-length: ${body.byteLength}\r\n\r\n`;
  return Buffer.concat([head, Buffer.from(fields), body]);
}

async function onConnections(
  access: ApiServerProcess["access"],
  work: (connection: Awaited<ReturnType<typeof openConnection>>) => Promise<void>,
): Promise<void> {
  const connections = await Promise.all(Array.from({ length: clients }, () => openConnection(access)));
  await Promise.all(connections.map(work));
  for (const connection of connections) connection.close();
}

async function sample({ access }: ApiServerProcess): Promise<Sample> {
  const connection = await openConnection(access);
  const text = await connection.read(requestBytes(access, "GET", "/metrics"));
  connection.close();
  const mb = (name: string) => Number(new RegExp(`^${name} (\\S+)`, "m").exec(text)?.[1] ?? Number.NaN) / 2 ** 20;
  return {
    rssMb: mb("process_resident_memory_bytes"),
    heapMb: mb("nodejs_heap_size_used_bytes"),
    externalMb: mb("nodejs_external_memory_bytes"),
  };
}
