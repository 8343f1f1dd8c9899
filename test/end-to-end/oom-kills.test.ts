import { accessSync, constants } from "node:fs";
import { rm } from "node:fs/promises";
import { pods } from "@kintsugi/api";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { type ContainerRuntime, createCriRuntime } from "@kintsugi/cri";
import { linuxKernelLog } from "@kintsugi/kubelet/factory";
import { containerProcess, ctrAt } from "@kintsugi/lab";
import { expect, test } from "vitest";
import { boundPod } from "../support/node/bound-pod.ts";
import { startContainerd } from "../support/node/contract-subject.ts";
import { sayWhyNot, whyNoClusters } from "../support/host-abilities.ts";
import { createKubeletOnContainerd, createNodeClient } from "../support/node/kubelet-on-containerd.ts";
import { eventually } from "../support/run-program.ts";

const cannot = sayWhyNot("OOM kills that the runtime misses", whyNoClusters() ?? whyNoKernelLog());

function whyNoKernelLog(): string | undefined {
  try {
    accessSync("/dev/kmsg", constants.R_OK);
    return undefined;
  } catch {
    return "the kernel's log cannot be read";
  }
}

/**
 * A runtime that subscribes to OOM kills too late, as containerd's shim occasionally does for a
 * container in its first milliseconds.
 */
function deafToOomKills(runtime: ContainerRuntime): ContainerRuntime {
  const deaf: Partial<ContainerRuntime> = {
    async containerStatus(id, signal) {
      const status = await runtime.containerStatus(id, signal);
      return status.reason === "OOMKilled" ? { ...status, reason: "Error" } : status;
    },
    async *events(signal) {
      for await (const event of runtime.events(signal)) if (event.type !== "oom") yield event;
    },
  };
  return new Proxy(runtime, {
    get: (target, name) => {
      const value: unknown = Reflect.get(deaf, name) ?? Reflect.get(target, name);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
}

test.skipIf(cannot)(
  "a container that the kernel kills for its memory is OOMKilled although the runtime has missed it",
  async () => {
    await using containerd = await startContainerd();
    const runtime = createCriRuntime({ clock: systemClock, random: systemRandom }, { endpoint: containerd.endpoint });
    const client = createNodeClient();
    const memoryDirectory = `/dev/shm/kintsugi-oom-test-${containerd.name}`;
    const create = (name: string, script: string) => {
      const containers = [{ name: "c", resources: { limits: { memory: "16Mi" } } }];
      return client.create(pods, boundPod(name, script, { restartPolicy: "Never", containers }));
    };
    const stateOf = async (name: string) =>
      (await client.get(pods, { namespace: "default", name })).status?.containerStatuses?.[0]?.state;
    const endOf = (name: string) => eventually(`${name} has ended`, async () => (await stateOf(name))?.terminated);
    const runningIn = async (name: string) => {
      await eventually(`${name} runs`, async () => (await stateOf(name))?.running);
      const running = await runtime.listContainers({ state: "running" });
      return running.find(({ labels }) => labels["io.kubernetes.pod.name"] === name)?.id ?? "";
    };
    const withKubelet = async (during: () => Promise<void>) => {
      const below = { client, runtime: deafToOomKills(runtime), containerd, kernelLog: linuxKernelLog };
      const kubelet = await createKubeletOnContainerd(below, memoryDirectory);
      const stop = new AbortController();
      const ended = kubelet.run(stop.signal).catch(() => {});
      try {
        await during();
      } finally {
        stop.abort();
        await ended;
      }
    };
    try {
      let unwatched = "";
      await withKubelet(async () => {
        await create("at-once", "exec tail /dev/zero");
        expect(await endOf("at-once")).toMatchObject({ exitCode: 137, reason: "OOMKilled" });
        await create("by-somebody", "exec sleep 3600");
        const ctr = ctrAt(containerd.endpoint.replace("unix://", ""));
        process.kill(await containerProcess(ctr, await runningIn("by-somebody")), "SIGKILL");
        expect(await endOf("by-somebody")).toMatchObject({ exitCode: 137, reason: "Error" });
        await create("unwatched", "until [ -e /go ]; do sleep 0.1; done; exec tail /dev/zero");
        unwatched = await runningIn("unwatched");
      });
      await runtime.execSync(unwatched, ["touch", "/go"], 10);
      await eventually("it has ended", async () => (await runtime.containerStatus(unwatched)).state === "exited");
      await withKubelet(async () => {
        expect(await endOf("unwatched")).toMatchObject({ exitCode: 137, reason: "OOMKilled" });
      });
    } finally {
      runtime.close();
      await client.close();
      await rm(memoryDirectory, { recursive: true, force: true });
    }
  },
);
