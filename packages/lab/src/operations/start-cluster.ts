import { spawn } from "node:child_process";
import { openSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import type { ProfileName } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";
import { chooseSubnet } from "../network/plan-network.ts";
import { hostRoutes } from "../network/network.ts";
import { findOciRuntime } from "../containerd/find-oci-runtime.ts";
import { createControlClient } from "../supervisor/control-client.ts";
import type { SupervisorStatus } from "../supervisor/status.ts";
import { findCluster, type KnownCluster, listClusterNames, saveNewCluster } from "../cluster/cluster-files.ts";
import type { OciRuntime } from "../cluster/oci-runtimes.ts";
import { type NewNode, planNewNodes } from "../cluster/new-nodes.ts";
import type { CloudSpec, ForwardedPort, RegistrySpec } from "../cluster/cluster-spec.ts";
import { assertClusterName, newClusterSpec, planServers } from "../cluster/cluster-spec.ts";
import { InvalidSpec } from "../cluster/invalid-spec.ts";
import { withHostLock } from "../cluster/host-lock.ts";

export interface ClusterRequest {
  name: string;
  nodeCount: number;
  profile: ProfileName;
  dataRoot: string;
  /** Undefined: 6443, or the next free port. */
  apiPort: number | undefined;
  registries: readonly RegistrySpec[];
  /** Further flags of the kubelets: "max-pods=20". */
  kubeletArgs?: readonly string[];
  /** The runtime of the containers; undefined: the one that suits this host best. */
  ociRuntime?: OciRuntime | undefined;
  /** Default true: each node has a proxy. */
  proxy?: boolean;
  /** Default true: there is a storage driver with a default StorageClass. */
  csi?: boolean;
  /** The number of simulated devices of each node. Default 0. */
  devices?: number;
  /** "1.34"; undefined: the components' default. */
  kubernetesVersion?: string | undefined;
  /** Default false: Ingresses are not served. */
  ingress?: boolean;
  /** Absent: no cloud. */
  cloud?: CloudSpec | undefined;
  /** Default true: nodes and pods reach the host's networks. */
  egress?: boolean;
  /** Default false: users of a namespace may give Services no external IPs. */
  externalIps?: boolean;
  /** Default false. */
  rebalance?: boolean;
  /** Undefined: no traces of recoveries are sent. */
  tracesEndpoint?: string | undefined;
  /** The number of nodes without containers. Default 0. */
  hollowNodes?: number;
  /** Machines of the control plane; 1, the default, is the host itself. */
  servers?: number;
  /** Its nodes, where they are not all alike; then `nodeCount` does not count. */
  nodes?: readonly NewNode[];
  /** Default none. */
  portForwards?: readonly ForwardedPort[];
  /** Default none. */
  images?: readonly string[];
}

export interface StartDeps {
  clock: Clock;
}

const defaultApiPort = 6443;
/** Ports above the default that are tried when it is taken. */
const apiPortTries = 100;
/** The supervisor answers within this time, or it has not started. */
const supervisorWaitMs = 10_000;

interface SupervisorStart {
  /** The program and its arguments. */
  command: readonly string[];
  /** It has to answer within this time. Default 10 s. */
  waitMs?: number;
}

export type Opened = KnownCluster & { existed: boolean };

/**
 * Opens the requested cluster: a new one, described on disk and not started yet, or the one of that
 * name that exists.
 * @throws InvalidSpec when the request contradicts an existing cluster or cannot be met.
 */
export async function openCluster(deps: StartDeps, request: ClusterRequest): Promise<Opened> {
  assertClusterName(request.name);
  // Two that are made at the same moment must not find the same network free.
  return await withHostLock(deps.clock, () => findOrReserve(deps, request));
}

async function findOrReserve(deps: StartDeps, request: ClusterRequest): Promise<Opened> {
  const known = await findCluster(request.name);
  if (known) return { ...known, existed: true };
  const [{ subnet, apiPort }, ociRuntime] = await Promise.all([
    findRoom(request.apiPort),
    findOciRuntime(request.ociRuntime),
  ]);
  const {
    name,
    nodeCount,
    profile,
    registries,
    kubeletArgs = [],
    proxy = true,
    csi = true,
    devices = 0,
    ingress = false,
    egress = true,
    externalIps = false,
    rebalance = false,
    hollowNodes = 0,
    portForwards = [],
    images = [],
  } = request;
  const servers = planServers(request.servers ?? 1);
  const createdAtMs = deps.clock.nowMs();
  const spec = newClusterSpec({
    name,
    nodeCount,
    profile,
    apiPort,
    subnet,
    createdAtMs,
    registries,
    ...(kubeletArgs.length === 0 ? {} : { kubeletArgs }),
    ociRuntime,
    ...(proxy ? {} : { proxy }),
    ...(csi ? { csi } : {}),
    ...(devices > 0 ? { devices } : {}),
    ...(request.kubernetesVersion === undefined ? {} : { kubernetesVersion: request.kubernetesVersion }),
    ...(ingress ? { ingress } : {}),
    ...(request.cloud === undefined ? {} : { cloud: request.cloud }),
    ...(egress ? {} : { egress }),
    ...(externalIps ? { externalIps } : {}),
    ...(rebalance ? { rebalance } : {}),
    ...(request.tracesEndpoint === undefined ? {} : { tracesEndpoint: request.tracesEndpoint }),
    ...(hollowNodes > 0 ? { hollowNodes } : {}),
    ...(servers === undefined ? {} : { servers }),
    ...(request.nodes === undefined ? {} : { nodes: planNewNodes([], request.nodes) }),
    ...(portForwards.length === 0 ? {} : { portForwards }),
    ...(images.length === 0 ? {} : { images }),
  });
  return { ...(await saveNewCluster(request.dataRoot, spec)), existed: false };
}

/**
 * Ensures that the cluster's supervisor runs: pings the one that is there, or starts `command`
 * detached.
 * @throws Error with the place of its log when it does not come up.
 */
export async function ensureSupervisor(
  deps: StartDeps,
  cluster: KnownCluster,
  { command, waitMs = supervisorWaitMs }: SupervisorStart,
): Promise<SupervisorStatus> {
  const control = createControlClient(cluster.paths.supervisorSocket);
  const present = await control.status();
  if (present) return present;
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
 * @throws InvalidSpec where there is none, or `wantedPort` is taken.
 */
export async function findRoom(wantedPort?: number): Promise<{ subnet: number; apiPort: number }> {
  const others = (await Promise.all((await listClusterNames()).map(findCluster))).filter(
    (cluster) => cluster !== undefined,
  );
  const subnet = chooseSubnet(await hostRoutes(), new Set(others.map(({ spec }) => spec.subnet)));
  if (subnet === undefined)
    throw new InvalidSpec(
      "every network from 10.64.0.0/16 to 10.127.0.0/16 is in use on this host: take a cluster down first",
    );
  const apiPort = await chooseApiPort(wantedPort, new Set(others.map(({ spec }) => spec.apiPort)));
  return { subnet, apiPort };
}

async function chooseApiPort(wanted: number | undefined, taken: ReadonlySet<number>): Promise<number> {
  if (wanted !== undefined) {
    if (await portIsFree(wanted)) return wanted;
    throw new InvalidSpec(`port ${wanted} is in use: choose another with --api-port`);
  }
  for (let port = defaultApiPort; port < defaultApiPort + apiPortTries; port++) {
    if (!taken.has(port) && (await portIsFree(port))) return port;
  }
  throw new InvalidSpec(
    `ports ${defaultApiPort} to ${defaultApiPort + apiPortTries - 1} are in use: choose another with --api-port`,
  );
}

function portIsFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
