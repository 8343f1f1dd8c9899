import type { Logger } from "@kintsugi/api";
import { createHttpClient, loadKubeconfig } from "@kintsugi/client";
import type { Clock, Random } from "@kintsugi/clock";
import { favourCgroup } from "../host/cgroups.ts";
import { findCluster, saveSpec } from "../cluster/cluster-files.ts";
import { controlCgroup } from "../cluster/cluster-paths.ts";
import type { ClusterSpec } from "../cluster/cluster-spec.ts";
import { InvalidSpec } from "../settings/invalid-spec.ts";
import { keepLogsSmall } from "../host/limit-logs.ts";
import { identifyProcess, isAlive } from "../host/process-identity.ts";
import { forwardPorts } from "../network/port-forwards.ts";
import { nodeResolver } from "../network/node-resolver.ts";
import { readPidFile, writePidFile } from "../host/spawn-component.ts";
import { ClusterSupervisor } from "./cluster-supervisor.ts";
import type { ClusterLayout, Programs } from "../components/components.ts";
import { serveControl } from "./control-server.ts";
import { createHostProvisioner } from "./host-provisioner.ts";
import { createIngressObjects } from "./ingress-objects.ts";
import { createDeviceObjects } from "./device-objects.ts";
import { createStorageObjects } from "./storage-objects.ts";
import { createOutOfService } from "./out-of-service.ts";
import { appendFile, mkdir } from "node:fs/promises";
import { join } from "node:path";

/** The User-Agent of a cluster's supervisor. */
const userAgent = "kintsugi-supervisor/v0.1.0";

export interface SupervisorDeps {
  clock: Clock;
  random: Random;
  log: Logger;
}

export interface SupervisorOptions {
  /** The cluster's name. */
  name: string;
  programs: Programs;
}

/**
 * Supervises one cluster until the signal aborts. @throws InvalidSpec when the cluster does not
 * exist or is already supervised.
 */
export async function runSupervisor(
  deps: SupervisorDeps,
  options: SupervisorOptions,
  signal: AbortSignal,
): Promise<void> {
  const cluster = await findCluster(options.name);
  if (!cluster) throw new InvalidSpec(`there is no cluster "${options.name}"`);
  let { spec } = cluster;
  const layout: ClusterLayout = {
    get spec() {
      return spec;
    },
    paths: cluster.paths,
    programs: options.programs,
    resolver: await nodeResolver(),
  };
  await claim(layout);
  const provisioner = createHostProvisioner(deps, layout);
  // The files exist once the cluster has been started, and the client's callers wait for the start.
  const connect = () => createHttpClient(deps, { ...loadKubeconfig(layout.paths.adminKubeconfig), userAgent });
  const outOfService = createOutOfService({ clock: deps.clock, connect });
  const objects = [
    {
      what: "StorageClass of the lab's driver",
      when: (spec: ClusterSpec) => spec.csi === true,
      ...createStorageObjects({ clock: deps.clock, connect }),
    },
    {
      what: "DeviceClass of the lab",
      when: (spec: ClusterSpec) => (spec.devices ?? 0) > 0,
      ...createDeviceObjects({ connect }),
    },
    {
      what: "IngressClass of the lab",
      when: (spec: ClusterSpec) => spec.ingress === true,
      ...createIngressObjects({ connect }),
    },
  ];
  const supervisor = new ClusterSupervisor(
    {
      ...deps,
      provisioner,
      outOfService,
      objects,
      async keepSpec(changed) {
        await saveSpec(cluster.paths, changed);
        spec = changed;
      },
    },
    layout,
  );
  const stop = new AbortController();
  const stopped = AbortSignal.any([signal, stop.signal]);
  const serving = serveControl(
    { target: supervisor, log: deps.log },
    { socket: cluster.paths.supervisorSocket },
    stopped,
  );
  const limiting = keepLogsSmall(deps, cluster.paths.logs, stopped);
  const forwarding = forwardPorts({ log: deps.log }, () => layout.spec, stopped);
  // A failed step remains visible in the status that `up` reads; the supervisor continues, and
  // another `up` retries the step.
  const running = supervisor
    .run(stopped)
    .catch((error: unknown) => deps.log.error("cluster could not be brought up", { error }));
  await Promise.race([serving, running.then(() => serving)]);
  stop.abort();
  await Promise.all([running, forwarding, limiting]);
}

/**
 * Writes the pid file, which only one supervisor per cluster can hold. This process joins the
 * cluster's cgroup, so that `down` ends the supervisor with the other processes.
 */
async function claim({ spec, paths }: ClusterLayout): Promise<void> {
  await mkdir(paths.pids, { recursive: true, mode: 0o700 });
  const directory = paths.run;
  const before = await readPidFile(join(directory, "supervisor.pid"));
  if (before && before.pid !== process.pid && (await isAlive(before))) {
    throw new InvalidSpec(`cluster "${spec.name}" is already supervised by process ${before.pid}`);
  }
  // Nodes on other hosts are separate machines, whose pods do not compete with a control plane for
  // the CPU.
  for (const file of await favourCgroup(controlCgroup(spec))) await appendFile(file, String(process.pid));
  const self = await identifyProcess(process.pid);
  if (self) await writePidFile(directory, "supervisor", self);
}
