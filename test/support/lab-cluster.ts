import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { remember } from "./remains/remember.ts";
import { newestKubectl, wantedOciRuntime } from "./host-abilities.ts";
import { type ProgramResult, runProgram, type RunOptions } from "./run-program.ts";

export const repository = join(import.meta.dirname, "../..");

/** A real cluster, started by the built command line as a user would, with its own kubeconfig. */
export interface LabCluster extends AsyncDisposable {
  readonly name: string;
  readonly kubeconfig: string;
  /** Runs `kintsugi`; `--name` is added. */
  kintsugi(...args: string[]): Promise<ProgramResult>;
  /**
   * Runs kubectl and returns its output.
   * @throws when it fails.
   */
  kubectl(...args: string[]): Promise<string>;
  /**
   * Runs kubectl and returns every outcome; options as for any program, and another kubectl if
   * wanted.
   */
  tryKubectl(args: readonly string[], options?: RunOptions & { program?: string }): Promise<ProgramResult>;
  /** Applies a manifest. */
  apply(manifest: string): Promise<void>;
  /** kubectl get … -o json, parsed. */
  get<T = KubernetesObject>(...args: string[]): Promise<T>;
  /** Returns the pid of a process by its supervisor's name for it: "api-server", "proxy@node-1". */
  pidOf(component: string): Promise<number>;
  nodeAddress(node: string): Promise<string>;
  /**
   * Returns how often the controllers or the scheduler have lost their lead: two seconds without a
   * processor or the disk are enough in the profile fast.
   */
  leadsLost(): Promise<number>;
  /** Returns the address of a Service in the namespace default. */
  clusterIp(service: string): Promise<string>;
}

/** A control-plane server as `kintsugi server list` prints it. */
export interface ListedServer {
  readonly name: string;
  readonly api: string;
  readonly etcd: string;
  readonly leads: readonly string[];
}

export async function listServers(cluster: LabCluster): Promise<ListedServer[]> {
  const { stdout } = await cluster.kintsugi("server", "list", "--output", "json");
  return JSON.parse(stdout) as ListedServer[];
}

/** The type is as loose as kubectl's JSON, for a test that reads a few fields. */
export interface KubernetesObject {
  metadata: {
    name: string;
    uid: string;
    resourceVersion: string;
    deletionTimestamp?: string;
    annotations?: Record<string, string>;
  };
  spec: Record<string, never> & { nodeName?: string; taints?: { key: string; effect: string }[] };
  status: {
    phase?: string;
    podIP?: string;
    nodeInfo?: { bootID: string };
    conditions?: { type: string; status: string; reason?: string; message?: string }[];
    containerStatuses?: {
      name: string;
      containerID?: string;
      restartCount: number;
      ready: boolean;
      state: {
        running?: { startedAt: string };
        waiting?: { reason: string; message?: string };
        terminated?: Terminated;
      };
      lastState: { terminated?: Terminated };
    }[];
  };
}

interface Terminated {
  reason: string;
  exitCode: number;
  message?: string;
  startedAt: string;
  finishedAt: string;
}

export interface LabClusterOptions {
  name: string;
  nodes?: number;
  profile?: string;
  /** Nodes have proxies: three additional processes that most tests do not need. Default false. */
  proxy?: boolean;
  /** The cluster has a storage driver: a process on each node and two more. Default false. */
  csi?: boolean;
  /** Simulated devices of each node; default none. */
  devices?: number;
  /** Additional arguments of `up`. */
  args?: readonly string[];
}

/** @throws with the output of `up` when the cluster does not start; everything is removed then. */
export async function startLabCluster(options: LabClusterOptions): Promise<LabCluster> {
  const name = `${options.name}-${process.pid}`;
  const directory = await mkdtemp(join(tmpdir(), "kintsugi-e2e-"));
  const kubeconfig = join(directory, "kubeconfig");
  const cluster = openLabCluster(name, kubeconfig);
  const wanted = wantedOciRuntime();
  const args = [
    ...(wanted === undefined ? [] : ["--oci-runtime", wanted]),
    // A topology has its own nodes.
    ...(options.args?.includes("--config") ? [] : ["--nodes", String(options.nodes ?? 3)]),
    "--profile",
    options.profile ?? "fast",
    "--kubeconfig",
    kubeconfig,
    ...(options.proxy === true ? [] : ["--no-proxy"]),
    ...(options.csi === true ? [] : ["--no-csi"]),
    ...(options.devices === undefined ? [] : ["--devices", String(options.devices)]),
    ...(options.args ?? []),
  ];
  const result = await cluster.kintsugi("up", ...args);
  if (result.code === 0) return cluster;
  await cluster[Symbol.asyncDispose]();
  throw new Error(`kintsugi up ended with ${result.code}: ${result.stderr}`);
}

/**
 * Clusters that this process has started and not yet removed, with a function to remove each
 * record.
 */
const remembered = new Map<string, () => Promise<void>>();

/**
 * Ensures that a cluster is removed even if this process ends first. Called before the cluster is
 * started.
 */
export async function rememberCluster(name: string): Promise<void> {
  if (!remembered.has(name)) remembered.set(name, await remember({ kind: "cluster", name }));
}

/** Returns the names of the clusters that this process has started and not yet removed. */
export function startedClusters(): string[] {
  return [...remembered.keys()];
}

/** Call when the cluster is completely removed. */
export async function forgetCluster(name: string): Promise<void> {
  await remembered.get(name)?.();
  remembered.delete(name);
}

/** Runs the built command line. */
export async function kintsugi(args: readonly string[], options: RunOptions = {}): Promise<ProgramResult> {
  const at = args.indexOf("--name");
  const name = at < 0 ? undefined : args[at + 1];
  const isStart = args[0] === "up" || args[0] === "demo";
  if (isStart && name !== undefined) await rememberCluster(name);
  const program = [join(repository, "bin/kintsugi"), ...args];
  const result = await runProgram(process.execPath, program, { timeoutMs: 170_000, ...options });
  // The exit code 2 means that `kintsugi` has only reported a mistake on its command line.
  const isGone = (args[0] === "down" && result.code === 0) || (isStart && result.code === 2);
  if (isGone && name !== undefined) await forgetCluster(name);
  return result;
}

function openLabCluster(name: string, kubeconfig: string): LabCluster {
  const tryKubectl: LabCluster["tryKubectl"] = (args, { program = newestKubectl(), ...options } = {}) => {
    if (program === undefined) throw new Error("there is no kubectl here");
    return runProgram(program, ["--kubeconfig", kubeconfig, ...args], options);
  };
  const kubectl = async (...args: string[]) => {
    const result = await tryKubectl(args);
    if (result.code !== 0) throw new Error(`kubectl ${args.join(" ")} ended with ${result.code}: ${result.stderr}`);
    return result.stdout;
  };
  return {
    name,
    kubeconfig,
    kintsugi: (...args) => kintsugi([...args, "--name", name]),
    kubectl,
    tryKubectl,
    async apply(manifest) {
      const result = await tryKubectl(["apply", "-f", "-"], { input: manifest });
      if (result.code !== 0) throw new Error(`kubectl apply ended with ${result.code}: ${result.stderr}`);
    },
    get: async <T>(...args: string[]) => JSON.parse(await kubectl("get", ...args, "-o", "json")) as T,
    async pidOf(component) {
      const file = `/run/kintsugi/${name}/pids/${component}.pid`;
      return (JSON.parse(await readFile(file, "utf8")) as { pid: number }).pid;
    },
    async nodeAddress(node) {
      const address = "jsonpath={.status.addresses[?(@.type=='InternalIP')].address}";
      return (await kubectl("get", "node", node, "-o", address)).trim();
    },
    async leadsLost() {
      const logs = ["controller-manager", "scheduler"].map((process) =>
        readFile(`/var/lib/kintsugi/${name}/logs/${process}.log`, "utf8"),
      );
      return (await Promise.all(logs)).join("").split('"leadership lost"').length - 1;
    },
    clusterIp: (service) => kubectl("get", "service", service, "-o", "jsonpath={.spec.clusterIP}"),
    async [Symbol.asyncDispose]() {
      await kintsugi(["down", "--name", name, "--kubeconfig", kubeconfig]);
      await rm(join(kubeconfig, ".."), { recursive: true, force: true });
    },
  };
}
