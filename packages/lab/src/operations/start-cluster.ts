import { spawn } from "node:child_process";
import { openSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import type { Clock } from "@kintsugi/clock";
import { chooseSubnet } from "../network/plan-network.ts";
import { hostRoutes } from "../network/network.ts";
import { findOciRuntime } from "../containerd/find-oci-runtime.ts";
import { createControlClient } from "../supervisor/control-client.ts";
import type { SupervisorStatus } from "../supervisor/status.ts";
import { findCluster, type KnownCluster, listClusterNames, saveNewCluster } from "../cluster/cluster-files.ts";
import type { ClusterSpec } from "../cluster/cluster-spec.ts";
import { assertClusterName } from "../settings/command/name.ts";
import { defaultApiPort } from "../settings/control-plane/api-port.ts";
import { storedBy, type DesiredSettings } from "../settings/desired-settings.ts";
import { InvalidSpec } from "../settings/invalid-spec.ts";
import { withHostLock } from "../cluster/host-lock.ts";
import { endSupervisor } from "./end-supervisor.ts";
import { beginFirstStart, hasFirstStartFailed, isSameCluster } from "./first-start.ts";
import { tearDown } from "./tear-down.ts";

/** The desired settings of a cluster whose name and directory are known. */
export interface ClusterRequest extends DesiredSettings {
  readonly name: string;
  readonly dataDir: string;
}

export interface StartDeps {
  clock: Clock;
}

/** Number of ports above the default that are tried if it is in use. */
const apiPortTries = 100;
/** Time within which the supervisor must respond; otherwise it has not started. */
const supervisorWaitMs = 10_000;

interface SupervisorStart {
  /** The program and its arguments. */
  command: readonly string[];
  /** Time within which the supervisor must respond. Default: 10 s. */
  waitMs?: number;
}

export type Opened = KnownCluster & {
  existed: boolean;
  /** True if the remains of a first start that had failed with other settings were removed. */
  replaced: boolean;
};

/**
 * Opens the requested cluster: a new cluster, described on disk and not started yet, or the
 * existing cluster of that name.
 * @throws InvalidSpec when the request contradicts an existing cluster or cannot be met.
 */
export async function openCluster(deps: StartDeps, request: ClusterRequest): Promise<Opened> {
  assertClusterName(request.name);
  const known = await findCluster(request.name);
  const replaced = known !== undefined && (await hasFirstStartFailed(known)) && !isSameCluster(known, request);
  if (replaced) await tearDown(deps.clock, request.name);
  // Two clusters that are created at the same moment must not choose the same network.
  const opened = await withHostLock(deps.clock, () => findOrReserve(deps, request));
  if (!opened.existed || (await hasFirstStartFailed(opened))) await beginFirstStart(opened);
  return { ...opened, replaced };
}

async function findOrReserve(deps: StartDeps, request: ClusterRequest): Promise<Omit<Opened, "replaced">> {
  const known = await findCluster(request.name);
  if (known) return { ...known, existed: true };
  const [{ subnet, apiPort }, ociRuntime] = await Promise.all([
    findRoom(request.apiPort),
    findOciRuntime(request.ociRuntime),
  ]);
  const spec: ClusterSpec = {
    formatVersion: 1,
    name: request.name,
    subnet,
    createdAtMs: deps.clock.nowMs(),
    ...storedBy({ ...request, apiPort, ociRuntime }),
  };
  return { ...(await saveNewCluster(request.dataDir, spec)), existed: false };
}

/**
 * Ensures that the cluster's supervisor runs: pings the existing supervisor, and starts `command`
 * detached if the ping fails or the supervisor has a failed step.
 * @throws Error with the path of its log when it does not start.
 */
export async function ensureSupervisor(
  deps: StartDeps,
  cluster: KnownCluster,
  { command, waitMs = supervisorWaitMs }: SupervisorStart,
): Promise<SupervisorStatus> {
  const control = createControlClient(cluster.paths.supervisorSocket);
  const present = await control.status();
  // A supervisor looks for programs when it starts, so a failed supervisor does not find programs
  // that were installed since.
  if (present?.steps.every(({ error }) => error === undefined)) return present;
  if (present !== undefined) await endSupervisor(deps.clock, cluster);
  await mkdir(cluster.paths.run, { recursive: true, mode: 0o700 });
  await mkdir(cluster.paths.logs, { recursive: true, mode: 0o700 });
  const logFile = join(cluster.paths.logs, "supervisor.log");
  const output = openSync(logFile, "a", 0o600);
  const [program, ...args] = command;
  if (program === undefined) throw new Error("no supervisor program was given");
  let ended: number | string | null | undefined;
  const child = spawn(program, args, { detached: true, stdio: ["ignore", output, output], cwd: "/" });
  child.once("exit", (code, signal) => (ended = code ?? signal));
  child.once("error", (error) => (ended = error.message));
  child.unref();
  const deadlineMs = deps.clock.monotonicMs() + waitMs;
  for (;;) {
    const status = await control.status();
    if (status) return status;
    if (ended !== undefined || deps.clock.monotonicMs() > deadlineMs) {
      throw new Error(`the supervisor did not start (${ended ?? "no answer"}); its log is ${logFile}`);
    }
    await deps.clock.sleep(10);
  }
}

/**
 * Finds a network and a port of this host that are free.
 * @throws InvalidSpec if all are used, or `wantedPort` is in use.
 */
export async function findRoom(wantedPort?: number): Promise<{ subnet: number; apiPort: number }> {
  const others = (await Promise.all((await listClusterNames()).map(findCluster))).filter(
    (cluster) => cluster !== undefined,
  );
  const subnet = chooseSubnet(await hostRoutes(), new Set(others.map(({ spec }) => spec.subnet)));
  if (subnet === undefined)
    throw new InvalidSpec(
      "every network from 10.64.0.0/16 to 10.127.0.0/16 is in use on this host: remove a cluster first",
    );
  const apiPort = await chooseApiPort(wantedPort, new Set(others.map(({ spec }) => spec.apiPort)));
  return { subnet, apiPort };
}

async function chooseApiPort(wanted: number | undefined, taken: ReadonlySet<number>): Promise<number> {
  if (wanted !== undefined) {
    if (await portIsFree(wanted)) return wanted;
    throw new InvalidSpec(`port ${wanted} is in use: choose another port with --api-port`);
  }
  for (let port = defaultApiPort; port < defaultApiPort + apiPortTries; port++) {
    if (!taken.has(port) && (await portIsFree(port))) return port;
  }
  throw new InvalidSpec(
    `ports ${defaultApiPort} to ${defaultApiPort + apiPortTries - 1} are in use: choose another port with --api-port`,
  );
}

function portIsFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
