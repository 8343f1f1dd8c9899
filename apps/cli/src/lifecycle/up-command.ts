import { countedNoun, contextName } from "@kintsugi/api";
import { assertKubeconfigIsFile, changeKubeconfigFile, type Client, kubeconfigPath, withEntry } from "@kintsugi/client";
import { findProgram, makeDirectory } from "@kintsugi/daemon";
import {
  apiServerUrls,
  clusterName,
  contradictionsOf,
  createControlClient,
  defaultClusterName,
  endFirstStart,
  ensureSupervisor,
  explainFindings,
  type HostSize,
  inspectHost,
  joinDesired,
  type ClusterSpec,
  type KnownCluster,
  ociRuntimeOf,
  openCluster,
  readIdentity,
  requirements,
  type DesiredSettings,
} from "@kintsugi/lab";
import { availableParallelism, totalmem } from "node:os";
import { dirname, resolve } from "node:path";
import { adminClient } from "../base/cluster-access.ts";
import { stepUntilUsable, waitForApi, waitForSupervisor } from "../base/wait-for-cluster.ts";
import { type CrashWatch, watchCrashes } from "../base/crash-watch.ts";
import { followLogs } from "../base/follow-logs.ts";
import { type Command, type CommandContext, CommandError } from "../base/command.ts";
import { loadImages } from "../images/image-command.ts";
import { readTopology } from "../topology/topology-file.ts";
import { refuseWrongArgs } from "./check-args.ts";
import { takeDown } from "./down.ts";
import { addUpOptions, type UpOptions } from "./up-options.ts";

export const up: Command = {
  declare(program, run) {
    addUpOptions(program.command("up").description("Create a cluster, or verify that an existing one is running"))
      .option("--kubeconfig <file>", "kubeconfig that receives the context (default: $KUBECONFIG or ~/.kube/config)")
      .option("--foreground", "print the logs of all processes until Ctrl-C, then remove the cluster")
      .action(
        run(async (context, options: UpOptions & { foreground?: boolean }) => {
          const cluster = await bringUp(context, options);
          if (options.foreground) await stayInForeground(context, cluster, options.kubeconfig);
        }),
      );
  },
};

async function stayInForeground(
  context: CommandContext,
  cluster: KnownCluster,
  kubeconfig: string | undefined,
): Promise<void> {
  context.terminal.say("\nCtrl-C removes the cluster.\n");
  await followLogs(cluster.paths.logs, context.signal);
  await takeDown(context, cluster.spec.name, kubeconfig);
}

function hostSize(): HostSize {
  return { cpuMillicores: availableParallelism() * 1000, memoryBytes: totalmem() };
}

/** Starts the cluster, shows each step, and adds a context for kubectl. */
export async function bringUp(context: CommandContext, options: UpOptions): Promise<KnownCluster> {
  const { config, terminal } = context;
  const desired =
    options.config === undefined ? options : joinDesired(readTopology(options.config, hostSize()), options);
  const lacking = explainFindings(inspectHost(config.host, desired.ociRuntime));
  if (lacking !== undefined) throw new CommandError(lacking);
  if ((desired.servers ?? 1) > 1) assertServersCanRun(config.host.searchPath);
  const kubeconfig = resolve(kubeconfigPath(options.kubeconfig, config.environment));
  // The path is checked first, because otherwise the user would have a cluster without a key.
  await makeDirectory(dirname(kubeconfig), { flag: "--kubeconfig", mode: 0o755 });
  assertKubeconfigIsFile(kubeconfig);
  if (desired.ingress === true && findProgram("haproxy", config.host.searchPath) === undefined)
    throw new CommandError("--ingress needs haproxy: install it with `apt-get install haproxy`");
  await refuseWrongArgs(config.programs, desired);
  const hasNft = findProgram("nft", config.host.searchPath) !== undefined;
  const { proxy = true } = desired;
  const cluster = await openCluster(context, {
    ...desired,
    name: desired.name ?? clusterName(config.environment.KINTSUGI_NAME || defaultClusterName),
    // The supervisor runs in another directory, so the path has to be absolute.
    dataDir: resolve(options.dataDir),
    // If nft is missing, pods would get an unreachable address of the API.
    proxy: proxy && hasNft,
  });
  if (cluster.existed) refuseContradictions(cluster, desired);
  if (cluster.replaced)
    terminal.say(
      `The first start of cluster "${cluster.spec.name}" had failed with other settings: its remains were removed`,
    );
  const { spec } = cluster;
  terminal.say(
    cluster.existed
      ? `Cluster "${spec.name}" exists; verifying that it is running ...`
      : `Creating cluster "${spec.name}" with ${spec.servers === undefined ? "" : `${countedNoun(spec.servers.length, "server")} and `}${countedNoun(spec.nodes.length, "node")}, profile ${spec.profile}, OCI runtime ${ociRuntimeOf(spec)} ...`,
  );
  if (proxy && !hasNft)
    terminal.say(
      "nft is missing, so nodes have no proxies and addresses of Services have no effect: install it with `apt-get install nftables`, and create the cluster again",
    );
  await startKnown(context, cluster, options.wait);
  await publishKubeconfig(context, cluster, kubeconfig);
  return cluster;
}

/** `up` does not change an existing cluster, which keeps its first options. */
function refuseContradictions({ spec }: KnownCluster, desired: DesiredSettings): void {
  const differences = contradictionsOf(spec, desired);
  if (differences.length === 0) return;
  throw new CommandError(
    `cluster "${spec.name}" exists with ${differences.join(" and ")}: remove it first, or choose another --name`,
  );
}

/** Starts the stopped parts of a cluster, and waits until pods can run on its nodes. */
export async function startKnown(context: CommandContext, cluster: KnownCluster, waitMs: number): Promise<void> {
  const { clock, signal, terminal, config } = context;
  const startMs = Math.max(waitMs, 30_000);
  const control = createControlClient(cluster.paths.supervisorSocket);
  await terminal.step("Supervisor", () =>
    ensureSupervisor({ clock }, cluster, { command: [...config.supervisorCommand, "--name", cluster.spec.name] }),
  );
  const crashes = await watchCrashes(cluster, control);
  const deps = { clock, signal, cluster: cluster.spec.name, crashes };
  await terminal.step("Certificates, network, images, processes", () => waitForSupervisor(deps, control, startMs));
  const client = adminClient(context, cluster);
  try {
    await terminal.step("Control plane", () => waitForApi(deps, client, startMs));
    await endFirstStart(cluster);
    await loadImages(context, cluster.spec.images ?? [], cluster.spec);
    if (waitMs > 0) await waitNodes(context, cluster, { client, waitMs, crashes });
  } finally {
    await client.close();
  }
}

async function waitNodes(
  context: CommandContext,
  cluster: KnownCluster,
  wait: { client: Client; waitMs: number; crashes: CrashWatch },
): Promise<void> {
  const control = createControlClient(cluster.paths.supervisorSocket);
  const states = (await control.status())?.nodes ?? {};
  // A node that was killed or cut off on purpose does not delay `up`.
  const names = cluster.spec.nodes
    .map((node) => node.name)
    .filter((name) => {
      const state = states[name];
      return !state || (state.power === "on" && state.link === "up" && state.kubelet === "running");
    });
  const deps = { ...context, cluster: cluster.spec.name, crashes: wait.crashes };
  await stepUntilUsable(deps, wait.client, { names, waitMs: wait.waitMs });
}

async function publishKubeconfig(context: CommandContext, cluster: KnownCluster, file: string): Promise<void> {
  const { clock, terminal } = context;
  const name = contextName(cluster.spec.name);
  const identity = await readIdentity(cluster.paths.pki, "admin");
  await changeKubeconfigFile({ clock }, file, (document) =>
    withEntry(document, { name, ...apiAddresses(cluster.spec), ...identity }),
  );
  terminal.say(`Set kubectl context to "${name}" in ${file}`);
  terminal.say("A user who may create pods in this cluster is root on this host: SECURITY.md explains why.");
  terminal.say("You can now use your cluster with:\n");
  terminal.say(`kubectl get nodes --context ${name}`);
}

/** kubectl uses one address, the load balancer of several servers. */
function apiAddresses(spec: ClusterSpec): { server: string; servers?: readonly string[] } {
  const server = `https://127.0.0.1:${spec.apiPort}`;
  return spec.servers === undefined ? { server } : { server, servers: apiServerUrls(spec) };
}

/** @throws CommandError with the missing packages that several servers need. */
function assertServersCanRun(searchPath: string): void {
  const lacking = requirements
    .filter(({ isForServers, anyOf }) => isForServers && !anyOf.some((name) => findProgram(name, searchPath)))
    .map((requirement) => requirement.package);
  if (lacking.length === 0) return;
  throw new CommandError(`--servers needs packages: install with \`apt-get install ${lacking.join(" ")}\`.`);
}
