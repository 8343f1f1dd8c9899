import { rm } from "node:fs/promises";
import type { Pod } from "@kintsugi/api";
import type { Client, Informer } from "@kintsugi/client";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { type ContainerRuntime, createCriRuntime } from "@kintsugi/cri";
import { type OciRuntime, type PrivateContainerd, startPrivateContainerd } from "@kintsugi/lab";
import { createKubeletOnContainerd, createNodeClient } from "../../support/node/kubelet-on-containerd.ts";
import { runProgram } from "../../support/run-program.ts";
import { followPods, whenSeen } from "../seen-by-client.ts";

const deps = { clock: systemClock, random: systemRandom };

/** A call to the runtime, with its answer and its time. */
export interface SeenCall {
  name: string;
  args: readonly unknown[];
  atMs: number;
  /** Undefined until it is answered. */
  answer: unknown;
  answeredAtMs: number;
}

/**
 * One kubelet of this process on a real containerd, with an API in memory, so that its actions are
 * observed to the millisecond.
 */
export interface KubeletAlone extends AsyncDisposable {
  readonly client: Client;
  readonly runtime: ContainerRuntime;
  readonly informer: Informer<Pod>;
  /** Every call of the kubelet, in order. */
  readonly calls: SeenCall[];
  /** The processes of the running containers, by container id. */
  processes(): Promise<Map<string, number>>;
}

/** @param by "relist": as with a runtime whose event stream never opens. */
export async function startKubeletAlone(by: "event" | "relist", ociRuntime: OciRuntime): Promise<KubeletAlone> {
  const containerd = await startPrivateContainerd(deps, {
    directory: `/tmp/kb-${process.pid}-${by}`,
    name: `bench-${process.pid}-${by}`,
    podCidr: "10.199.8.0/24",
    ociRuntime,
  });
  const runtime = createCriRuntime(deps, { endpoint: containerd.endpoint });
  const client = createNodeClient();
  const stop = new AbortController();
  const calls: SeenCall[] = [];
  const memoryDirectory = `/dev/shm/kintsugi-bench-${process.pid}-${by}`;
  const kubelet = await createKubeletOnContainerd(
    { client, runtime: watched(runtime, calls, by), containerd },
    memoryDirectory,
  );
  void kubelet.run(stop.signal).catch(() => {});
  const informer = await followPods(client, stop.signal);
  return {
    client,
    runtime,
    informer,
    calls,
    processes: () => processesOf(containerd),
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await systemClock.sleep(200);
      runtime.close();
      await client.close();
      await containerd[Symbol.asyncDispose]();
      await rm(memoryDirectory, { recursive: true, force: true });
    },
  };
}

/** A pod that is bound to the node by the scheduler. */
export function boundPod(name: string, container: Partial<NonNullable<Pod["spec"]>["containers"][number]> = {}): Pod {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "default", uid: systemRandom.uuid() },
    spec: {
      nodeName: "node-1",
      terminationGracePeriodSeconds: 0,
      restartPolicy: "Always",
      containers: [{ name: "c", image: "docker.io/library/busybox:1", command: ["sleep", "3600"], ...container }],
    },
  };
}

/** Resolves with the time at which a pod was observed for which this is true, now or later. */
export function whenPodSeen(informer: Informer<Pod>, name: string, holds: (pod: Pod) => boolean): Promise<number> {
  const wanted = (pod: Pod) => pod.metadata.name === name && holds(pod);
  return whenSeen(informer, wanted, { what: `pod ${name} as expected`, patienceMs: 60_000 });
}

/** The same runtime, with a record of its calls. */
function watched(runtime: ContainerRuntime, calls: SeenCall[], by: "event" | "relist"): ContainerRuntime {
  return new Proxy(runtime, {
    get(target, property) {
      if (property === "events" && by === "relist") return () => never();
      const member = Reflect.get(target, property) as unknown;
      if (typeof member !== "function") return member;
      const call = (member as (...args: unknown[]) => unknown).bind(target);
      if (property === "events" || property === "close") return call;
      return (...args: unknown[]) => {
        const seen: SeenCall = {
          name: String(property),
          args,
          atMs: performance.now(),
          answer: undefined,
          answeredAtMs: Number.POSITIVE_INFINITY,
        };
        calls.push(seen);
        return (call(...args) as Promise<unknown>).then((answer) => {
          seen.answer = answer;
          seen.answeredAtMs = performance.now();
          return answer;
        });
      };
    },
  });
}

// oxlint-disable-next-line require-yield -- it is a stream on which nothing ever comes.
async function* never(): AsyncGenerator<never> {
  await new Promise(() => {});
}

async function processesOf({ endpoint }: PrivateContainerd): Promise<Map<string, number>> {
  const address = endpoint.replace("unix://", "");
  const { stdout } = await runProgram("ctr", ["--address", address, "--namespace", "k8s.io", "tasks", "list"]);
  const rows = stdout.split("\n").map((row) => row.trim().split(/\s+/));
  return new Map(rows.flatMap(([id, pid]) => (id && /^\d+$/.test(pid ?? "") ? [[id, Number(pid)] as const] : [])));
}
