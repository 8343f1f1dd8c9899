import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { systemClock, systemRandom } from "@kintsugi/clock";
import {
  type ContainerRuntime,
  type ContainerStatus,
  createCriRuntime,
  type PodSandboxConfig,
  type RuntimeEvent,
} from "@kintsugi/cri";
import { startCriProxy } from "@kintsugi/cri/testing";
import { aContainerConfig, aSandboxConfig, ScriptedFaults } from "@kintsugi/cri/simulated";
import { describeRuntimeContract } from "@kintsugi/cri/testing/contract";
import { findPrivateContainerdRemains, type PrivateContainerd } from "@kintsugi/lab";
import { describe, expect, test } from "vitest";
import { contractSubject, startContainerd } from "../support/node/contract-subject.ts";
import { sayWhyNot, whyNoClusters } from "../support/host-abilities.ts";
import { onlyInAllSamples } from "../support/samples.ts";

const deps = { clock: systemClock, random: systemRandom };

describe.skipIf(sayWhyNot("a real containerd", whyNoClusters()))("containerd", () => {
  describeRuntimeContract("containerd through the adapter", async () => {
    const containerd = await startContainerd();
    return contractSubject(containerd, {}, async () => await containerd[Symbol.asyncDispose]());
  });

  onlyInAllSamples(() => {
    describeRuntimeContract("containerd through a CRI proxy", async () => {
      const containerd = await startContainerd();
      const proxy = await startCriProxy(deps, {
        upstreamEndpoint: containerd.endpoint,
        socketPath: join(containerd.directory, "proxy.sock"),
        faults: new ScriptedFaults(systemClock),
      });
      return contractSubject(containerd, { endpoint: proxy.endpoint }, async () => {
        await proxy.close();
        await containerd[Symbol.asyncDispose]();
      });
    });
  });

  test("that crashes does not end containers, and every container can still be stopped and removed afterwards", async () => {
    await using containerd = await startContainerd();
    const runtime = createCriRuntime(deps, { endpoint: containerd.endpoint });
    const controller = new AbortController();
    const events: RuntimeEvent[] = [];
    const following = collect(runtime.events(controller.signal), events);
    const [ready, stopped] = await Promise.all(
      ["ready", "stopped"].map((name) => startPodInThreeStates(runtime, containerd, name)),
    );
    expect.assert(ready && stopped);
    await runtime.stopPodSandbox(stopped.sandboxId);
    const before = await observe(runtime);
    expect(before.map(({ state }) => state).sort()).toEqual([
      "created",
      "created",
      "exited",
      "exited",
      "exited",
      "running",
    ]);

    await containerd.crash();
    await following;
    expect(events[0]).toEqual({ type: "connected" });
    await expect(runtime.version()).rejects.toMatchObject({ reason: "unavailable" });
    await containerd.start();

    // The same client reconnects, and a new stream is open again.
    const after = await waitFor(() => observe(runtime).catch(() => undefined));
    expect(after).toEqual(before);
    const eventsAfter: RuntimeEvent[] = [];
    const followingAfter = collect(runtime.events(controller.signal), eventsAfter);
    await waitFor(async () => eventsAfter[0]);
    await runtime.stopContainer(ready.running, 0);
    await waitFor(async () =>
      eventsAfter.find((event) => event.type === "stopped" && event.containerId === ready.running),
    );
    for (const { sandboxId } of [ready, stopped]) await runtime.removePodSandbox(sandboxId);
    expect([await runtime.listContainers(), await runtime.listPodSandboxes()]).toEqual([[], []]);
    controller.abort();
    await followingAfter;
    runtime.close();
  });

  test("that restarts waits for a shim that answers slowly, as on a busy node, and does not kill its containers", async () => {
    await using containerd = await startContainerd();
    const runtime = createCriRuntime(deps, { endpoint: containerd.endpoint });
    const pod = await startPodInThreeStates(runtime, containerd, "slow");
    const before = await observe(runtime);
    const bundle = join(containerd.directory, "state/io.containerd.runtime.v2.task/k8s.io", pod.sandboxId);
    const shim = await parentOf(Number(await readFile(join(bundle, "init.pid"), "utf8")));
    await containerd.crash();
    process.kill(shim, "SIGSTOP");
    const started = containerd.start();
    try {
      // Longer than containerd waits by default.
      await systemClock.sleep(7_000);
    } finally {
      process.kill(shim, "SIGCONT");
    }
    await started;
    expect(await waitFor(() => observe(runtime).catch(() => undefined))).toEqual(before);
    // The kill may succeed or fail.
    const log = await readFile(containerd.logFile, "utf8");
    expect(log).not.toContain(`cleaning up after shim disconnected" id=${pod.sandboxId}`);
    // The container is really running, and not only recorded as running.
    expect(await runtime.execSync(pod.running, ["true"], 10_000)).toMatchObject({ exitCode: 0 });
    await runtime.removePodSandbox(pod.sandboxId);
    runtime.close();
  });

  test("applies every field of a container's configuration", async () => {
    await using containerd = await startContainerd();
    const runtime = createCriRuntime(deps, { endpoint: containerd.endpoint });
    const hostPath = join(containerd.directory, "volume");
    await mkdir(hostPath);
    await writeFile(join(hostPath, "file"), "from the host\n");
    const base = aSandboxConfig("configured", { logDirectory: containerd.directory });
    const sandboxConfig: PodSandboxConfig = {
      ...base,
      hostname: "the-host",
      dns: { servers: ["10.0.0.10"], searches: ["svc.cluster.local"], options: ["ndots:5"] },
      linux: {
        ...base.linux,
        cgroupParent: containerd.cgroupParent,
        sysctls: { "net.ipv4.ip_unprivileged_port_start": "80" },
      },
    };
    const sandboxId = await runtime.runPodSandbox(sandboxConfig);
    const questions: Record<string, string> = {
      args: 'echo "$0 $1"',
      user: "id -u; id -g; id -G",
      directory: "pwd",
      environment: "echo $GREETING",
      hostname: "hostname",
      dns: "cat /etc/resolv.conf",
      sysctl: "cat /proc/sys/net/ipv4/ip_unprivileged_port_start",
      volume: "cat /volume/file; touch /volume/new 2>&1",
      root: "touch /new 2>&1",
      capabilities: "grep -E 'CapBnd|NoNewPrivs|Seccomp:' /proc/self/status | tr '\\t' ' '",
      masked: "wc -c < /proc/timer_list",
      readonly: "grep ' /proc/sys ' /proc/self/mountinfo | cut -d' ' -f6 | cut -d, -f1",
      limits:
        "cat /sys/fs/cgroup/memory/memory.limit_in_bytes /sys/fs/cgroup/cpu/cpu.cfs_quota_us /sys/fs/cgroup/cpu/cpu.shares 2>/dev/null || cat /sys/fs/cgroup/memory.max /sys/fs/cgroup/cpu.max",
      device: "ls -l /dev/the-null | cut -c1",
    };
    const script = Object.entries(questions).map(([name, question]) => `echo "[${name}]"; ${question}`);
    const config = aContainerConfig("main", "");
    const id = await runtime.createContainer({
      sandboxId,
      sandboxConfig,
      config: {
        ...config,
        command: ["sh"],
        args: ["-c", script.join("; "), "zero", "one"],
        workingDir: "/tmp",
        envs: [{ key: "GREETING", value: "good day" }],
        mounts: [
          { containerPath: "/volume", hostPath, readonly: true, recursiveReadOnly: false, propagation: "private" },
        ],
        devices: [{ containerPath: "/dev/the-null", hostPath: "/dev/null", permissions: "rw" }],
        logPath: "main.log",
        linux: {
          resources: {
            ...config.linux.resources,
            cpuPeriod: 100_000,
            cpuQuota: 25_000,
            cpuShares: 256,
            memoryLimitBytes: 64 * 1024 * 1024,
          },
          security: {
            ...config.linux.security,
            runAsUser: 1000,
            runAsGroup: 1001,
            supplementalGroups: [1002],
            groupsPolicy: "Merge",
            readonlyRootfs: true,
            noNewPrivileges: true,
            addCapabilities: ["NET_ADMIN"],
            dropCapabilities: ["ALL"],
            maskedPaths: ["/proc/timer_list"],
            readonlyPaths: ["/proc/sys"],
            seccomp: { type: "RuntimeDefault" },
          },
        },
      },
    });
    await runtime.startContainer(id);
    const status = await waitFor(async () => {
      const now = await runtime.containerStatus(id);
      return now.state === "exited" ? now : undefined;
    });
    expect(status.mounts).toEqual([
      { containerPath: "/volume", hostPath, readonly: true, recursiveReadOnly: false, propagation: "private" },
    ]);
    const log = await readFile(status.logPath, "utf8");
    const output = log.split("\n").map((line) => line.split(" ").slice(3).join(" "));
    const answers = Object.fromEntries(
      output
        .join("\n")
        .split("[")
        .slice(1)
        .map((part) => {
          const [name = "", answer = ""] = part.split("]\n");
          return [name, answer.trimEnd().split("\n")];
        }),
    );
    expect(answers).toMatchObject({
      args: ["zero one"],
      user: ["1000", "1001", "1001 1002"],
      directory: ["/tmp"],
      environment: ["good day"],
      hostname: ["the-host"],
      dns: ["search svc.cluster.local", "nameserver 10.0.0.10", "options ndots:5"],
      sysctl: ["80"],
      volume: ["from the host", expect.stringContaining("Read-only file system")],
      root: [expect.stringMatching(/Read-only file system|Permission denied/)],
      // CAP_NET_ADMIN is bit 12; seccomp mode 2 is a filter.
      capabilities: ["CapBnd: 0000000000001000", "NoNewPrivs: 1", "Seccomp: 2"],
      masked: ["0"],
      readonly: ["ro"],
      device: ["c"],
    });
    expect(answers["limits"]?.join(" ")).toMatch(/^67108864 25000 (?:256|100000)$/);
    runtime.close();
  });

  test("is removed completely when it is disposed of in the middle of its work", async () => {
    const containerd = await startContainerd();
    const runtime = createCriRuntime(deps, { endpoint: containerd.endpoint });
    const { running } = await startPodInThreeStates(runtime, containerd, "left");
    expect(await findPrivateContainerdRemains(containerd)).not.toEqual([]);
    await containerd[Symbol.asyncDispose]();
    runtime.close();
    expect(await findPrivateContainerdRemains(containerd)).toEqual([]);
    // runc stores its records of containers here by default, shared by all nodes, so a node could
    // not clean up its own records.
    expect(existsSync(`/run/containerd/runc/k8s.io/${running}`)).toBe(false);
  });
});

describe.skipIf(sayWhyNot("a containerd with crun", whyNoClusters("crun")))("containerd with crun", () => {
  describeRuntimeContract("that makes the containers", async () => {
    const containerd = await startContainerd("crun");
    return contractSubject(containerd, {}, async () => await containerd[Symbol.asyncDispose]());
  });
});

/** Reads /proc/<pid>/stat, in which the program's name is in parentheses. */
async function parentOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8");
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
}

interface PodInThreeStates {
  sandboxId: string;
  running: string;
}

/** A pod with a created, a running and an exited container. */
async function startPodInThreeStates(
  runtime: ContainerRuntime,
  containerd: PrivateContainerd,
  name: string,
): Promise<PodInThreeStates> {
  const base = aSandboxConfig(name, { logDirectory: join(containerd.directory, "logs") });
  const sandboxConfig = { ...base, linux: { ...base.linux, cgroupParent: containerd.cgroupParent } };
  const sandboxId = await runtime.runPodSandbox(sandboxConfig);
  const create = (container: string, script: string) =>
    runtime.createContainer({ sandboxId, sandboxConfig, config: aContainerConfig(container, script, { logPath: "" }) });
  await create("created", "true");
  const [running, exited] = [await create("running", "sleep 1000"), await create("exited", "exit 5")];
  await runtime.startContainer(running);
  await runtime.startContainer(exited);
  await waitFor(async () => (await runtime.containerStatus(exited)).state === "exited" || undefined);
  return { sandboxId, running };
}

/** Everything that must survive a restart of the runtime. */
async function observe(runtime: ContainerRuntime): Promise<ContainerStatus[]> {
  const containers = await runtime.listContainers();
  const statuses = await Promise.all(containers.map(({ id }) => runtime.containerStatus(id)));
  return statuses.sort((a, b) => a.id.localeCompare(b.id));
}

async function collect(events: AsyncIterable<RuntimeEvent>, into: RuntimeEvent[]): Promise<void> {
  for await (const event of events) into.push(event);
}

async function waitFor<T>(ask: () => Promise<T | undefined>): Promise<T> {
  const deadlineMs = systemClock.monotonicMs() + 20_000;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (systemClock.monotonicMs() > deadlineMs) throw new Error("nothing came within 20 s");
    await systemClock.sleep(20);
  }
}
