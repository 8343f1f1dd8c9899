import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newestKubectl, wantedOciRuntime } from "./host-abilities.ts";
import { type ProgramResult, runProgram, type RunOptions } from "./run-program.ts";

export const repository = join(import.meta.dirname, "../..");

/** A real cluster, brought up by the built command line as a user would, with a kubeconfig of its own. */
export interface LabCluster extends AsyncDisposable {
  readonly name: string;
  readonly kubeconfig: string;
  /** Runs `kintsugi`; `--name` is added. */
  kintsugi(...args: string[]): Promise<ProgramResult>;
  /** Runs kubectl and gives what it printed. @throws when it fails. */
  kubectl(...args: string[]): Promise<string>;
  /** Runs kubectl, whatever comes of it; options as for any program, and another kubectl if wanted. */
  tryKubectl(args: readonly string[], options?: RunOptions & { program?: string }): Promise<ProgramResult>;
  /** Applies a manifest. */
  apply(manifest: string): Promise<void>;
  /** kubectl get … -o json, parsed. */
  get<T = KubernetesObject>(...args: string[]): Promise<T>;
}

/** As loose as kubectl's JSON is for a test that looks at a few fields. */
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
  /** Whether nodes have proxies: three more processes that most tests have no use for. Default false. */
  proxy?: boolean;
  /** Further arguments of `up`. */
  args?: readonly string[];
}

/** @throws with what `up` said when the cluster does not come up; nothing is left then. */
export async function startLabCluster(options: LabClusterOptions): Promise<LabCluster> {
  const name = `${options.name}-${process.pid}`;
  const directory = await mkdtemp(join(tmpdir(), "kintsugi-e2e-"));
  const kubeconfig = join(directory, "kubeconfig");
  const cluster = openLabCluster(name, kubeconfig);
  const wanted = wantedOciRuntime();
  const args = [
    ...(wanted === undefined ? [] : ["--oci-runtime", wanted]),
    "--nodes",
    String(options.nodes ?? 3),
    "--profile",
    options.profile ?? "fast",
    "--kubeconfig",
    kubeconfig,
    ...(options.proxy === true ? [] : ["--no-proxy"]),
    ...(options.args ?? []),
  ];
  const result = await cluster.kintsugi("up", ...args);
  if (result.code === 0) return cluster;
  await cluster[Symbol.asyncDispose]();
  throw new Error(`kintsugi up ended with ${result.code}: ${result.stderr}`);
}

/** Runs the built command line. */
export function kintsugi(args: readonly string[], options: RunOptions = {}): Promise<ProgramResult> {
  return runProgram(process.execPath, [join(repository, "bin/kintsugi"), ...args], { timeoutMs: 170_000, ...options });
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
    async [Symbol.asyncDispose]() {
      await kintsugi(["down", "--name", name, "--kubeconfig", kubeconfig]);
      await rm(join(kubeconfig, ".."), { recursive: true, force: true });
    },
  };
}
