import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { type ContainerRuntime, createCriRuntime } from "@kintsugi/cri";
import { aContainerConfig, aSandboxConfig } from "@kintsugi/cri/simulated";
import { kubeletDefaults } from "@kintsugi/kubelet/factory";
import { type OciRuntime, type PrivateContainerd, startPrivateContainerd } from "@kintsugi/lab";
import type { Figure } from "../figure.ts";
import { cgroupProcessorMs } from "./processor-time.ts";

// Measures the lower bound of every kubelet: the same pods by three CRI calls each and nothing
// else, as many in parallel as the kubelet starts.

const deps = { clock: systemClock, random: systemRandom };

export interface AloneRuns {
  /** The number of pods. */
  count: number;
  ociRuntime: OciRuntime;
}

export async function measureRuntimeAlone({ count, ociRuntime }: AloneRuns): Promise<Figure[]> {
  await using containerd = await startPrivateContainerd(deps, {
    directory: `/tmp/kb-${process.pid}-alone`,
    name: `bench-${process.pid}-alone`,
    podCidr: "10.199.9.0/24",
    ociRuntime,
  });
  const runtime = createCriRuntime(deps, { endpoint: containerd.endpoint });
  try {
    // The first pod includes one-time costs: the bridge, the page cache.
    await startPod(runtime, containerd, "first");
    const cgroup = dirname(containerd.cgroupParent);
    const [beforeMs, startedAtMs] = [await cgroupProcessorMs(cgroup), performance.now()];
    let next = 0;
    const startNext = async () => {
      while (next < count) await startPod(runtime, containerd, `alone-${next++}`);
    };
    const atOnce = kubeletDefaults.startsInFlightMax;
    await Promise.all(Array.from({ length: atOnce }, startNext));
    const tookMs = performance.now() - startedAtMs;
    const usedMs = (await cgroupProcessorMs(cgroup)) - beforeMs;
    return [
      {
        id: "runtime.burst.rate",
        what: `${count} pods by CRI alone, without a kubelet`,
        value: count / (tookMs / 1000),
        unit: "/s",
        detail: `${atOnce} at once, all after ${(tookMs / 1000).toFixed(2)} s; bounds what a kubelet can reach here`,
      },
      {
        id: "runtime.burst.processor",
        what: "processor time of the runtime for one pod",
        value: usedMs / count,
        unit: "ms",
        detail: `containerd, shim, ${ociRuntime}, network plugins`,
      },
    ];
  } finally {
    runtime.close();
  }
}

/** The containers have the kubelet's seccomp profile. */
async function startPod(runtime: ContainerRuntime, containerd: PrivateContainerd, name: string): Promise<void> {
  const logDirectory = join(containerd.directory, "logs", name);
  await mkdir(logDirectory, { recursive: true });
  const config = aSandboxConfig(name, { logDirectory });
  const linux = {
    ...config.linux,
    cgroupParent: `${containerd.cgroupParent}/${name}`,
    seccomp: { type: "RuntimeDefault" } as const,
  };
  const sandboxConfig = { ...config, linux };
  const sandboxId = await runtime.runPodSandbox(sandboxConfig);
  const container = aContainerConfig("c", "", {
    image: "docker.io/library/busybox:1",
    command: ["sleep", "3600"],
  });
  await runtime.startContainer(await runtime.createContainer({ sandboxId, config: container, sandboxConfig }));
}
