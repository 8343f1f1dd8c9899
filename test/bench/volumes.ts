import {
  type PersistentVolumeClaim,
  persistentVolumeClaims,
  type Pod,
  pods,
  services,
  type StatefulSet,
  statefulSets,
  storageClasses,
  type VolumeAttachment,
  volumeAttachments,
} from "@kintsugi/api";
import type { Client, Informer } from "@kintsugi/client";
import { type BenchCluster, bringUp, openBenchCluster } from "./bench-cluster.ts";
import { describeSamples } from "./distribution.ts";
import type { Figure } from "./figure.ts";
import { follow, followPods, whenSeen } from "./seen-by-client.ts";

// Measures the time from a claim to a running pod with its volume, compared with a pod without a
// volume, the move of a volume whose node has died, and many claims at the same time, as observed
// by a client with watches.

const namespace = "default";
const patienceMs = 120_000;
/** The nodes still work for a pod that no longer exists: its mounts, its sandbox, its disk. */
const tidyMs = 2_000;

export interface VolumeRuns {
  /** Pods with a volume; as many pods without a volume are started too. */
  readonly starts: number;
  /** Nodes that die with a stateful pod. */
  readonly deaths: number;
  /** Claims that are created at the same time. */
  readonly claims: number;
}

interface Bench {
  readonly cluster: BenchCluster;
  readonly client: Client;
  readonly pods: Informer<Pod>;
  readonly claims: Informer<PersistentVolumeClaim>;
  readonly attachments: Informer<VolumeAttachment>;
}

export async function measureVolumes({ starts, deaths, claims }: VolumeRuns): Promise<Figure[]> {
  const name = `bench-volumes-${process.pid}`;
  await bringUp(name, ["--nodes", "2", "--profile", "fast", "--no-proxy"]);
  await using cluster = await openBenchCluster(name);
  const following = new AbortController();
  const { signal } = following;
  try {
    const { client } = cluster;
    const bench: Bench = {
      cluster,
      client,
      pods: await followPods(client, signal),
      claims: await follow<PersistentVolumeClaim>(client, { type: persistentVolumeClaims, namespace }, signal),
      attachments: await follow<VolumeAttachment>(client, { type: volumeAttachments }, signal),
    };
    return [
      ...(await measureStarts(bench, starts)),
      ...(await measureCrowd(bench, claims)),
      ...(await measureDeaths(bench, deaths)),
    ];
  } finally {
    following.abort();
  }
}

/** The times of one start, in milliseconds since the pod was created. */
interface Start {
  readonly boundMs: number;
  readonly attachedMs: number;
  readonly runningMs: number;
}

async function measureStarts(bench: Bench, runs: number): Promise<Figure[]> {
  const plain: number[] = [];
  const withVolume: Start[] = [];
  // The first start of each kind imports the image and formats the first disk.
  for (let run = -1; run < runs; run++) {
    const runningMs = await startPlain(bench, `plain-${run}`);
    const start = await startWithVolume(bench, `volume-${run}`);
    if (run < 0) continue;
    plain.push(runningMs);
    withVolume.push(start);
  }
  const part = (id: string, what: string, samples: readonly number[]): Figure => {
    const { p50, min, max } = describeSamples(samples);
    return { id, what, value: p50, unit: "ms", detail: `${Math.round(min)} to ${Math.round(max)} ms, ${runs} pods` };
  };
  const beyond = describeSamples(withVolume.map(({ runningMs }, run) => runningMs - (plain[run] ?? 0)));
  return [
    part("volumes.plain", "pod without a volume → Running, p50", plain),
    part(
      "volumes.start",
      "claim and pod → Running, p50",
      withVolume.map(({ runningMs }) => runningMs),
    ),
    {
      id: "volumes.beyond",
      what: "the pod with a volume beyond the one before it without, p50",
      value: beyond.p50,
      unit: "ms",
      goal: 150,
      detail: `${Math.round(beyond.min)} to ${Math.round(beyond.max)} ms`,
    },
    part(
      "volumes.bound",
      "claim and pod → claim Bound, p50",
      withVolume.map(({ boundMs }) => boundMs),
    ),
    part(
      "volumes.attached",
      "claim Bound → attached, p50",
      withVolume.map((one) => one.attachedMs - one.boundMs),
    ),
    part(
      "volumes.mounted",
      "attached → Running, p50",
      withVolume.map((one) => one.runningMs - one.attachedMs),
    ),
  ];
}

const isRunning =
  (name: string) =>
  ({ metadata, status }: Pod): boolean =>
    metadata.name === name && status?.phase === "Running";

async function startPlain({ client, pods: seenPods }: Bench, name: string): Promise<number> {
  const running = whenSeen(seenPods, isRunning(name), { what: `${name} runs`, patienceMs });
  const sinceMs = performance.now();
  await client.create(pods, aPod(name), { namespace });
  const tookMs = (await running) - sinceMs;
  await removePod(client, name);
  return tookMs;
}

async function startWithVolume(bench: Bench, name: string): Promise<Start> {
  const { client, pods: seenPods, claims, attachments } = bench;
  const isBound = ({ metadata, status }: PersistentVolumeClaim) => metadata.name === name && status?.phase === "Bound";
  const known = new Set(attachments.list().map(({ metadata }) => metadata.name));
  const isAttached = ({ metadata, status }: VolumeAttachment) => status?.attached === true && !known.has(metadata.name);
  const seen = Promise.all([
    whenSeen(claims, isBound, { what: `${name} is bound`, patienceMs }),
    whenSeen(attachments, isAttached, { what: `${name} is attached`, patienceMs }),
    whenSeen(seenPods, isRunning(name), { what: `${name} runs`, patienceMs }),
  ]);
  const sinceMs = performance.now();
  await client.create(persistentVolumeClaims, aClaim(name), { namespace });
  await client.create(pods, aPod(name, name), { namespace });
  const [boundMs, attachedMs, runningMs] = (await seen).map((atMs) => atMs - sinceMs) as [number, number, number];
  await removePod(client, name);
  await client.delete(persistentVolumeClaims, { namespace, name });
  return { boundMs, attachedMs, runningMs };
}

async function measureCrowd({ client, claims }: Bench, count: number): Promise<Figure[]> {
  const [driver] = (await client.list(storageClasses)).items;
  const immediate = { ...driver, metadata: { name: "immediate" }, volumeBindingMode: "Immediate" };
  await client.create(storageClasses, { ...immediate, provisioner: driver?.provisioner ?? "" });
  const names = Array.from({ length: count }, (_, index) => `crowd-${index}`);
  const bound = names.map((name) =>
    whenSeen(claims, ({ metadata, status }) => metadata.name === name && status?.phase === "Bound", {
      what: `${name} is bound`,
      patienceMs,
    }),
  );
  const sinceMs = performance.now();
  await Promise.all(
    names.map((name) => client.create(persistentVolumeClaims, aClaim(name, "immediate"), { namespace })),
  );
  const tookMs = (await Promise.all(bound)).map((atMs) => atMs - sinceMs);
  for (const name of names) await client.delete(persistentVolumeClaims, { namespace, name });
  const { p50, max } = describeSamples(tookMs);
  const detail = `the middle one after ${Math.round(p50)} ms`;
  return [{ id: "volumes.crowd", what: `${count} claims at once → all Bound`, value: max, unit: "ms", detail }];
}

async function measureDeaths(bench: Bench, deaths: number): Promise<Figure[]> {
  const { client, cluster, pods: seenPods } = bench;
  await client.create(services, {
    metadata: { name: "db", namespace },
    spec: { clusterIP: "None", ports: [{ port: 1 }] },
  });
  const counting = "n=$(wc -l < /v/log 2>/dev/null || echo 0); echo had $n; echo life >> /v/log; sync; sleep 100000";
  await client.create(statefulSets, aStatefulSet(counting));
  const counts = (uid: string | undefined) =>
    whenSeen(
      seenPods,
      ({ metadata, status }) => metadata.name === "db-0" && metadata.uid !== uid && status?.phase === "Running",
      { what: "the stateful pod runs", patienceMs },
    );
  await counts(undefined);
  const tookMs: number[] = [];
  for (let death = 0; death < deaths; death++) {
    const before = await client.get(pods, { namespace, name: "db-0" });
    const node = before.spec?.nodeName ?? "";
    const again = counts(before.metadata.uid);
    const sinceMs = performance.now();
    await cluster.kintsugi("node", "kill", "--fence", node);
    tookMs.push((await again) - sinceMs);
    await expectLives(client, death + 1);
    await cluster.kintsugi("node", "return", node);
  }
  const { p50, min, max } = describeSamples(tookMs);
  return [
    {
      id: "volumes.death",
      what: "node killed with --fence → its stateful pod Running elsewhere with its data, p50",
      value: p50,
      unit: "ms",
      detail: `${Math.round(min)} to ${Math.round(max)} ms, ${deaths} deaths; each life found the lines of all before it`,
    },
  ];
}

/** @throws Error when the volume has lost a line of an earlier run. */
async function expectLives(client: Client, lives: number): Promise<void> {
  const path = `/api/v1/namespaces/${namespace}/pods/db-0/log`;
  for (let attempt = 0; ; attempt++) {
    const text = String(await client.call({ method: "GET", path, accept: "*/*" }));
    const found = /had (\d+)/.exec(text)?.[1];
    if (found === String(lives)) return;
    if (found !== undefined || attempt > 100) throw new Error(`after ${lives} lives the volume had ${found} lines`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function removePod(client: Client, name: string): Promise<void> {
  await client.delete(pods, { namespace, name }, { gracePeriodSeconds: 0 });
  await new Promise((resolve) => setTimeout(resolve, tidyMs));
}

function aClaim(name: string, storageClassName?: string): PersistentVolumeClaim {
  const resources = { requests: { storage: "64Mi" } };
  const ofClass = storageClassName === undefined ? {} : { storageClassName };
  return {
    metadata: { name },
    spec: { accessModes: ["ReadWriteOnce"], resources, ...ofClass },
  } as PersistentVolumeClaim;
}

function aPod(name: string, claimName?: string): Pod {
  const mounted = claimName === undefined ? {} : { volumeMounts: [{ name: "v", mountPath: "/v" }] };
  const volumes = claimName === undefined ? [] : [{ name: "v", persistentVolumeClaim: { claimName } }];
  const containers = [{ name: "c", image: "busybox:1", command: ["sleep", "3600"], ...mounted }];
  return { metadata: { name }, spec: { terminationGracePeriodSeconds: 0, containers, volumes } } as Pod;
}

function aStatefulSet(script: string): StatefulSet {
  const labels = { app: "db" };
  const container = {
    name: "c",
    image: "busybox:1",
    command: ["sh", "-c", script],
    volumeMounts: [{ name: "v", mountPath: "/v" }],
  };
  return {
    metadata: { name: "db", namespace },
    spec: {
      serviceName: "db",
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { terminationGracePeriodSeconds: 0, containers: [container] } },
      volumeClaimTemplates: [{ ...aClaim("v") }],
    },
  } as StatefulSet;
}
