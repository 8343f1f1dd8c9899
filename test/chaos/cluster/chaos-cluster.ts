import { execFile } from "node:child_process";
import { mkdir, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { nodes } from "@kintsugi/api";
import { type Client, type ClusterAccess, createHttpClient, loadKubeconfig } from "@kintsugi/client";
import { systemClock, systemRandom } from "@kintsugi/clock";
import {
  createControlClient,
  defaultDataRoot,
  ensureSupervisor,
  type KnownCluster,
  nodeAddresses,
  openCluster,
  type ServerAction,
  tearDown,
} from "@kintsugi/lab";
import { isReady } from "@kintsugi/simulation";
import { freePort } from "../../support/free-port.ts";
import { type FaultProxy, startFaultProxy } from "../../support/servers/fault-proxy.ts";
import { repository } from "../../support/lab-cluster.ts";
import { remember } from "../../support/remains/remember.ts";
import { eventually } from "../../support/run-program.ts";
import { isRunning } from "./processes.ts";

const run = promisify(execFile);

/** A cluster of real processes with a handle on everything in which faults can be injected. */
export interface ChaosCluster extends AsyncDisposable {
  readonly known: KnownCluster;
  readonly nodeNames: readonly string[];
  /** The harness' own client bypasses the proxy, so that a connection fault does not affect it. */
  readonly client: Client;
  /** The names of the control-plane machines; empty if it is on the host. */
  readonly serverNames: readonly string[];
  /**
   * The connections of all other clients to the API server and to NATS; clients are distinguished
   * by `addressOf`. @throws Error in a cluster of several servers, which has no proxy.
   */
  readonly proxies: Proxies;
  /**
   * Returns the access of one of the load's clients, through the proxy and from the address "load".
   * With several servers, each client begins with a different server.
   */
  loadAccess(number: number): ClusterAccess;
  /** Returns the address of a client at a proxy: a node's name, "control plane", or "load". */
  addressOf(who: string): string;
  /** The port of the api-server behind the proxy. */
  readonly realApiPort: number;
  readonly clockDirectory: string;
  /** The store is on a separate small file system, which can be filled. */
  readonly storeIsSmall: boolean;
  /**
   * The current process of a component: "api-server", "kubelet@node-1", "containerd@node-1",
   * "nats", …
   */
  pid(component: string): Promise<number>;
  components(): Promise<readonly { id: string; pid: number | undefined; restarts: number }[]>;
  act(node: string, action: "kill" | "return" | "partition" | "heal"): Promise<void>;
  actOnServer(server: string, action: ServerAction): Promise<void>;
  /** Prevents the supervisor from starting processes until the returned function is called. */
  holdSupervisor(): Promise<() => void>;
}

interface Proxies {
  readonly api: FaultProxy;
  readonly nats: FaultProxy;
}

export interface ChaosClusterOptions {
  name: string;
  nodeCount: number;
  /** The control-plane machines; 1 is the host itself. */
  servers: number;
}

/**
 * Room for the store: its own reserve of 64 MiB, the 64 MiB below which it rejects writes, and a
 * log.
 */
const storeMegabytes = 400;
const natsPort = 4222;

export async function startChaosCluster(options: ChaosClusterOptions): Promise<ChaosCluster> {
  const clock = systemClock;
  const forget = await remember({ kind: "cluster", name: options.name });
  const known = await openCluster(
    { clock },
    {
      name: options.name,
      nodes: options.nodeCount,
      servers: options.servers,
      csi: false,
      profile: "fast",
      dataDir: defaultDataRoot,
      proxy: false,
    },
  );
  // The entries are called in reverse order.
  const undo: (() => Promise<unknown>)[] = [forget, () => tearDown(clock, options.name)];
  const dispose = async () => {
    for (const step of undo.reverse()) await step();
  };
  try {
    return await bringUp(known, undo, dispose);
  } catch (error) {
    await dispose();
    throw error;
  }
}

async function bringUp(
  known: KnownCluster,
  undo: (() => Promise<unknown>)[],
  dispose: () => Promise<void>,
): Promise<ChaosCluster> {
  const { spec, paths } = known;
  const gateway = `10.${spec.subnet}.0.1`;
  const serverNames = (spec.servers ?? []).map(({ name }) => name);
  const isShared = serverNames.length > 0;
  const storeIsSmall = !isShared && (await mountSmallStore(paths.store, join(paths.data, "store.img")));
  const clockDirectory = join(paths.run, "clocks");
  await mkdir(clockDirectory, { recursive: true });
  const real = isShared ? undefined : { api: await freePort(), nats: await freePort() };
  const flags = {
    name: spec.name,
    "clock-directory": clockDirectory,
    ...(real && { "api-port": real.api, "nats-port": real.nats }),
  };
  const tsx = join(repository, "node_modules/tsx/dist/loader.mjs");
  const command = [
    process.execPath,
    "--conditions=@kintsugi/source",
    "--import",
    `file://${tsx}`,
    join(import.meta.dirname, "supervisor-main.ts"),
    ...Object.entries(flags).map(([name, value]) => `--${name}=${value}`),
  ];
  // The supervisor runs from sources, which a busy machine takes long to load.
  const status = await ensureSupervisor({ clock: systemClock }, known, { command, waitMs: 60_000 });
  const proxies = real && (await startProxies(spec, { real, gateway, undo }));
  const control = createControlClient(paths.supervisorSocket);
  await eventually("the supervisor is done", async () => (await control.status())?.settled, 90_000);
  const admin = loadKubeconfig(paths.adminKubeconfig);
  const server = real === undefined ? admin.server : `https://127.0.0.1:${real.api}`;
  const client = createHttpClient(
    { clock: systemClock, random: systemRandom },
    { ...admin, server, userAgent: "kintsugi-chaos", attemptTimeoutMs: 5_000 },
  );
  undo.push(() => client.close());
  const nodeNames = spec.nodes.map(({ name }) => name);
  await eventually(
    "all nodes are Ready",
    async () => (await client.list(nodes)).items.filter(isReady).length === nodeNames.length,
    90_000,
  );
  const components = async () => (await control.status())?.components ?? [];
  return {
    known,
    nodeNames,
    serverNames,
    client,
    get proxies() {
      if (proxies === undefined) throw new Error("a cluster of several servers has no proxies before them");
      return proxies;
    },
    loadAccess(number) {
      const urls = admin.servers ?? [];
      if (urls.length === 0) return { ...admin, server: `https://${gateway}:${spec.apiPort}` };
      const first = number % urls.length;
      const ordered = [...urls.slice(first), ...urls.slice(0, first)];
      return { ...admin, server: ordered[0] ?? admin.server, servers: ordered };
    },
    addressOf(who) {
      if (who === "control plane") return "127.0.0.1";
      if (who === "load") return gateway;
      const node = spec.nodes.find(({ name }) => name === who);
      if (!node) throw new Error(`nobody is called ${who}`);
      return nodeAddresses(spec, node).address;
    },
    realApiPort: real?.api ?? spec.apiPort,
    clockDirectory,
    storeIsSmall,
    components,
    async pid(id) {
      return eventually(`${id} runs`, async () => {
        const pid = (await components()).find((component) => component.id === id)?.pid;
        return pid !== undefined && isRunning(pid) && pid;
      });
    },
    async act(node, action) {
      await control.act(node, action);
    },
    async actOnServer(name, action) {
      await control.actOnServer(name, action);
    },
    async holdSupervisor() {
      process.kill(status.pid, "SIGSTOP");
      return () => process.kill(status.pid, "SIGCONT");
    },
    [Symbol.asyncDispose]: dispose,
  };
}

async function startProxies(
  { apiPort }: KnownCluster["spec"],
  options: { real: { api: number; nats: number }; gateway: string; undo: (() => Promise<unknown>)[] },
): Promise<Proxies> {
  const { real, gateway, undo } = options;
  // The gateway's address exists once the supervisor has made the bridge.
  const startProxy = (port: number, upstreamPort: number, hosts: readonly string[]) =>
    eventually("the bridge", () =>
      startFaultProxy({
        listen: hosts.map((host) => ({ host, port })),
        upstream: (host) => ({ host, port: upstreamPort }),
      }),
    );
  const nats = await startProxy(natsPort, real.nats, [gateway]);
  undo.push(async () => nats[Symbol.asyncDispose]());
  const api = await startProxy(apiPort, real.api, ["127.0.0.1", gateway]);
  undo.push(async () => api[Symbol.asyncDispose]());
  return { api, nats };
}

/**
 * Moves the store to a small separate disk, a file system in a file. If mounting is impossible, the
 * store remains in its place.
 */
async function mountSmallStore(directory: string, imageFile: string): Promise<boolean> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  try {
    await writeFile(imageFile, "");
    await truncate(imageFile, storeMegabytes * 2 ** 20);
    await run("mkfs.ext4", ["-q", "-m", "0", imageFile]);
    await run("mount", ["-o", "loop", imageFile, directory]);
    return true;
  } catch {
    await rm(imageFile, { force: true });
    return false;
  }
}
