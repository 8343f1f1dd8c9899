import { rm } from "node:fs/promises";
import { type ContainerStateTerminated, pods } from "@kintsugi/api";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { createCriRuntime } from "@kintsugi/cri";
import { describeRuntimeContract } from "@kintsugi/cri/testing/contract";
import { linuxKernelLog } from "@kintsugi/kubelet/factory";
import { containerProcess, ctrAt } from "@kintsugi/lab";
import { expect, test } from "vitest";
import { boundPod } from "../support/node/bound-pod.ts";
import { contractSubject, startContainerd } from "../support/node/contract-subject.ts";
import { createKubeletOnContainerd, createNodeClient } from "../support/node/kubelet-on-containerd.ts";
import { eventually } from "../support/run-program.ts";

const deps = { clock: systemClock, random: systemRandom };
const onlyCri = { eventSources: ["cri"] } as const;

describeRuntimeContract("a runtime whose events are those of CRI", async () => {
  const containerd = await startContainerd();
  return contractSubject(containerd, onlyCri, async () => await containerd[Symbol.asyncDispose]());
});

test("a kubelet detects a crash by GetContainerEvents alone, long before its next listing, and identifies an OOM kill", async () => {
  await using node = await startNode();
  const { client, containerd, runtime } = node;
  const statusOf = async (name: string) =>
    (await client.get(pods, { namespace: "default", name })).status?.containerStatuses?.[0];

  await client.create(pods, boundPod("victim", "sleep 3600"));
  await eventually("victim runs", async () => (await statusOf("victim"))?.state?.running !== undefined);
  const [container] = await runtime.listContainers({ state: "running" });
  const pid = await containerProcess(ctrAt(containerd.endpoint.replace("unix://", "")), container?.id ?? "");
  const killedMs = systemClock.monotonicMs();
  process.kill(pid, "SIGKILL");
  await eventually("its restart", async () => (await statusOf("victim"))?.restartCount === 1);
  expect(systemClock.monotonicMs() - killedMs).toBeLessThan(5000);
  expect((await statusOf("victim"))?.lastState?.terminated).toMatchObject({ exitCode: 137, reason: "Error" });

  const ends = node.followEnds("hog");
  await client.create(
    pods,
    boundPod("hog", "sleep 0.5; tail /dev/zero", {
      containers: [{ name: "c", resources: { limits: { memory: "16Mi" } } }],
    }),
  );
  await eventually("the OOM kill in the status", async () => ends.at(0));
  // The first event is immediately right, so there is no error that is corrected later.
  expect(ends[0]).toMatchObject({ exitCode: 137, reason: "OOMKilled" });
});

/** Starts a kubelet on a separate containerd, from which it receives only CRI's events. */
async function startNode() {
  const containerd = await startContainerd();
  const runtime = createCriRuntime(deps, { endpoint: containerd.endpoint, ...onlyCri });
  const client = createNodeClient();
  const memoryDirectory = `/dev/shm/kintsugi-kubelet-test-${containerd.name}`;
  const stop = new AbortController();
  let ended = Promise.resolve();
  const dispose = async () => {
    stop.abort();
    await ended;
    runtime.close();
    await client.close();
    await containerd[Symbol.asyncDispose]();
    await rm(memoryDirectory, { recursive: true, force: true });
  };
  try {
    const below = { client, runtime, containerd, kernelLog: linuxKernelLog };
    const kubelet = await createKubeletOnContainerd(below, memoryDirectory, {
      // No listing occurs within this test.
      pleg: { relistIntervalMs: 600_000, relistIntervalWithEventsMs: 600_000, relistThresholdMs: 1_800_000 },
    });
    ended = kubelet.run(stop.signal).catch(() => {});
  } catch (error) {
    await dispose();
    throw error;
  }
  return {
    containerd,
    runtime,
    client,
    /** Follows the ends of a pod's container in its status; each change is a new entry. */
    followEnds(name: string): ContainerStateTerminated[] {
      const ends: ContainerStateTerminated[] = [];
      void (async () => {
        const options = { namespace: "default", fieldSelector: `metadata.name=${name}`, resourceVersion: "0" };
        for await (const event of client.watch(pods, { ...options, signal: stop.signal })) {
          const status = "object" in event ? event.object.status?.containerStatuses?.[0] : undefined;
          const end = status?.state?.terminated ?? status?.lastState?.terminated;
          if (end) ends.push(end);
        }
      })().catch(() => {});
      return ends;
    },
    [Symbol.asyncDispose]: dispose,
  };
}
