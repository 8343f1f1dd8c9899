import { rm } from "node:fs/promises";
import { pods } from "@kintsugi/api";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { createCriRuntime } from "@kintsugi/cri";
import { describeRuntimeContract } from "@kintsugi/cri/testing/contract";
import { containerProcess, ctrAt } from "@kintsugi/lab";
import { expect, test } from "vitest";
import { boundPod } from "../support/bound-pod.ts";
import { contractSubject, startContainerd } from "../support/contract-subject.ts";
import { createKubeletOnContainerd, createNodeClient } from "../support/kubelet-on-containerd.ts";
import { eventually } from "../support/run-program.ts";

const deps = { clock: systemClock, random: systemRandom };
const onlyCri = { eventSources: ["cri"] } as const;

describeRuntimeContract("a runtime whose events are those of CRI", async () => {
  const containerd = await startContainerd();
  return contractSubject(containerd, onlyCri, async () => await containerd[Symbol.asyncDispose]());
});

test("a kubelet sees a crash by GetContainerEvents alone, long before it lists again, and an OOM kill for what it is", async () => {
  await using containerd = await startContainerd();
  const runtime = createCriRuntime(deps, { endpoint: containerd.endpoint, ...onlyCri });
  const client = createNodeClient();
  const memoryDirectory = `/dev/shm/kintsugi-kubelet-test-${containerd.name}`;
  const kubelet = await createKubeletOnContainerd({ client, runtime, containerd }, memoryDirectory, {
    // No listing helps within this test.
    pleg: { relistIntervalMs: 600_000, relistIntervalWithEventsMs: 600_000, relistThresholdMs: 1_800_000 },
  });
  const stop = new AbortController();
  const ended = kubelet.run(stop.signal).catch(() => {});
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

  await client.create(
    pods,
    boundPod("hog", "sleep 0.5; tail /dev/zero", {
      containers: [{ name: "c", resources: { limits: { memory: "16Mi" } } }],
    }),
  );
  // Of CRI's event only the code is taken: until the container has been read, it is an error like others.
  const killed = await eventually("the OOM kill in the status", async () => {
    const status = await statusOf("hog");
    const end = status?.lastState?.terminated ?? status?.state?.terminated;
    return end?.reason === "Error" ? undefined : end;
  });
  expect(killed).toMatchObject({ exitCode: 137, reason: "OOMKilled" });

  stop.abort();
  await ended;
  runtime.close();
  await client.close();
  await rm(memoryDirectory, { recursive: true, force: true });
});
