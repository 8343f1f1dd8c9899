import { rm } from "node:fs/promises";
import { configMaps, events, leases, nodes, type Pod, pods, secrets } from "@kintsugi/api";
import { createInformer, createInProcessClient, type Informer } from "@kintsugi/client";
import { MemoryApi } from "@kintsugi/client/testing";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { type ContainerRuntime, createCriRuntime } from "@kintsugi/cri";
import { startPrivateContainerd } from "@kintsugi/lab";
import { createKubeletOnContainerd } from "../support/kubelet-on-containerd.ts";
import { describeSamples } from "./distribution.ts";
import type { Figure } from "./figure.ts";

// One kubelet on one real containerd, in this process, once with the runtime's events and once without: what the events are worth.

const deps = { clock: systemClock, random: systemRandom };

export async function measurePleg(kills: number): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const by of ["event", "relist"] as const) {
    const samples = await crashes(by, kills);
    const { p50, p99, max } = describeSamples(samples);
    const detail = `${kills} kills, worst ${Math.round(max)} ms`;
    figures.push(
      { id: `pleg.${by}.p50`, what: `crash seen by ${by}, kubelet alone, p50`, value: p50, unit: "ms", detail },
      { id: `pleg.${by}.p99`, what: `crash seen by ${by}, kubelet alone, p99`, value: p99, unit: "ms" },
    );
  }
  return figures;
}

/** How long after each kill the pod's status said that the container does not run. */
async function crashes(by: "event" | "relist", kills: number): Promise<number[]> {
  const containerd = await startPrivateContainerd(deps, {
    directory: `/tmp/kp-${process.pid}-${by}`,
    name: `pleg-${process.pid}-${by}`,
    podCidr: "10.199.8.0/24",
  });
  const runtime = createCriRuntime(deps, { endpoint: containerd.endpoint });
  const api = new MemoryApi(deps, [pods, nodes, leases, events, secrets, configMaps]);
  const client = createInProcessClient(
    { handler: api, ...deps },
    { identity: { name: "system:node:node-1", groups: ["system:nodes"] } },
  );
  const stop = new AbortController();
  const informer = createInformer({ client, ...deps }, { type: pods });
  try {
    const kubelet = await createKubeletOnContainerd(
      { client, runtime: by === "event" ? runtime : withoutEvents(runtime), containerd },
      memoryDirectory,
    );
    void kubelet.run(stop.signal).catch(() => {});
    void informer.run(stop.signal).catch(() => {});
    await informer.waitForSync(stop.signal);
    const samples: number[] = [];
    for (let i = 0; i < kills; i++) {
      const name = `victim-${by}-${i}`;
      const running = until(informer, name, (status) => status?.state?.running !== undefined);
      await client.create(pods, victim(name), { namespace: "default" });
      await running;
      // Anywhere in the period between two listings.
      await systemClock.sleep(200 + systemRandom.integer(1000));
      const [container] = await runtime.listContainers({ state: "running" });
      const startedMs = performance.now();
      const ended = until(informer, name, (status) => status?.state?.running === undefined || status.restartCount > 0);
      await runtime.stopContainer(container?.id ?? "", 0);
      await ended;
      samples.push(performance.now() - startedMs);
      await client.delete(pods, { namespace: "default", name }, { gracePeriodSeconds: 0 });
      await systemClock.sleep(1500);
    }
    return samples;
  } finally {
    stop.abort();
    await systemClock.sleep(200);
    runtime.close();
    await client.close();
    await containerd[Symbol.asyncDispose]();
    await rm(memoryDirectory, { recursive: true, force: true });
  }
}

const memoryDirectory = `/dev/shm/kintsugi-pleg-bench-${process.pid}`;

/** The same runtime, whose event stream never begins. */
function withoutEvents(runtime: ContainerRuntime): ContainerRuntime {
  return new Proxy(runtime, {
    get(target, property) {
      if (property === "events") return () => never();
      const member = Reflect.get(target, property) as unknown;
      return typeof member === "function" ? (member as (...args: unknown[]) => unknown).bind(target) : member;
    },
  });
}

// oxlint-disable-next-line require-yield -- it is a stream on which nothing ever comes.
async function* never(): AsyncGenerator<never> {
  await new Promise(() => {});
}

type Status = NonNullable<NonNullable<Pod["status"]>["containerStatuses"]>[number];

function until(informer: Informer<Pod>, name: string, holds: (status: Status | undefined) => boolean): Promise<void> {
  return new Promise((resolve) => {
    const stop = informer.onChange(({ object }) => {
      if (object.metadata.name !== name || !holds(object.status?.containerStatuses?.[0])) return;
      queueMicrotask(() => stop());
      resolve();
    });
  });
}

function victim(name: string): Pod {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "default", uid: systemRandom.uuid() },
    spec: {
      nodeName: "node-1",
      terminationGracePeriodSeconds: 0,
      restartPolicy: "Always",
      containers: [{ name: "c", image: "docker.io/library/busybox:1.36", command: ["sleep", "3600"] }],
    },
  };
}
