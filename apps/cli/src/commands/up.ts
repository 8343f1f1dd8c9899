import { hollowNodesMax, nodesMax, parseKubernetesVersion, type ProfileName } from "@kintsugi/api";
import { assertKubeconfigIsFile, changeKubeconfigFile, type Client, kubeconfigPath, withEntry } from "@kintsugi/client";
import { makeDirectory } from "@kintsugi/daemon";
import {
  apiServerUrls,
  createControlClient,
  defaultDataRoot,
  ensureSupervisor,
  explainFindings,
  findProgram,
  insecureRegistry,
  inspectHost,
  type ClusterSpec,
  type KnownCluster,
  type NewNode,
  type NodeSpec,
  type OciRuntime,
  ociRuntimeOf,
  ociRuntimes,
  openCluster,
  readIdentity,
  registryMirror,
  type RegistrySpec,
  requirements,
} from "@kintsugi/lab";
import { dirname, resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { Option, type Command as Program } from "commander";
import { adminClient, contextName } from "../base/cluster-access.ts";
import { stepUntilUsable, waitForApi, waitForSupervisor } from "../base/wait-for-cluster.ts";
import { followLogs } from "../base/follow-logs.ts";
import { type Command, type CommandContext, CommandError, defaultClusterName, nameOption } from "../base/command.ts";
import { durationOption, parseCount, parseOne, ports, profileOption } from "../base/option-values.ts";
import { loadImages } from "../images/image-command.ts";
import { collectKubeletArg } from "../topology/node-commands.ts";
import { readTopology, type ClusterTopology } from "../topology/topology-file.ts";
import { takeDown } from "./down.ts";

export interface UpOptions {
  name: string;
  nodes?: number;
  /** A topology. */
  config?: string;
  profile?: ProfileName;
  dataDir: string;
  apiPort?: number;
  kubeconfig?: string;
  insecureRegistry?: RegistrySpec[];
  registryMirror?: RegistrySpec[];
  kubeletArg?: string[];
  ociRuntime?: OciRuntime;
  /** False with --no-proxy. */
  proxy: boolean;
  /** False with --no-csi. */
  csi: boolean;
  kubernetesVersion?: string;
  ingress?: boolean;
  /** The most machines that the cloud adds. */
  cloud?: number | true;
  rebalance?: boolean;
  hollow?: number;
  servers?: number;
  /** False with --no-egress. */
  egress: boolean;
  /** The time for the start, in milliseconds. */
  wait: number;
}

const defaultNodeCount = 3;
/** Each is a containerd and a kubelet of its own on this host. */
const cloudMachinesDefault = 5;

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
  context.terminal.say("\nCtrl-C takes the cluster down.\n");
  await followLogs(cluster.paths.logs, context.signal);
  await takeDown(context, cluster.spec.name, kubeconfig);
}

/** The options that `up` and `demo` share. */
export function addUpOptions(program: Program): Program {
  return program
    .option(...nameOption)
    .option(
      "--config <file>",
      "topology: nodes with zones, labels and taints, images, ports (docs/recipes/describe-a-topology.md)",
    )
    .option("--nodes <count>", `number of nodes (default ${defaultNodeCount})`, parseCount({ min: 1, max: nodesMax }))
    .addOption(profileOption())
    .option("--data-dir <directory>", "directory of the data of all clusters", defaultDataRoot)
    .option(
      "--api-port <port>",
      "port of the API server on 127.0.0.1 (default 6443, or the next free)",
      parseCount(ports),
    )
    .option(
      "--insecure-registry <host>",
      "registry without TLS, as images name it, such as 192.0.2.1:5000; may be repeated",
      parseEach(insecureRegistry),
    )
    .option(
      "--registry-mirror <registry=url>",
      "mirror of a registry, such as docker.io=http://192.0.2.1:5000; may be repeated",
      parseEach(registryMirror),
    )
    .option(
      "--kubelet-arg <name=value>",
      "further flag of every node's kubelet, such as max-pods=20; may be repeated",
      collectKubeletArg,
    )
    .addOption(
      new Option(
        "--oci-runtime <name>",
        "OCI runtime: crun, which takes less processor time, or runc, which most clusters have (default: crun where it is installed)",
      ).choices(ociRuntimes),
    )
    .option("--no-proxy", "start no proxies on the nodes; addresses of Services then have no effect")
    .option("--no-csi", "start no storage driver; there is then no default StorageClass for claims")
    .option(
      "--cloud [machines]",
      `a cloud: load balancers for Services, and machines for pods without room, this many at most (default ${cloudMachinesDefault})`,
      parseCount({ min: 0, max: 100 }),
    )
    .option(
      "--no-egress",
      "leave the host's packet filter unchanged; nodes and pods then reach only this host and each other",
    )
    .option(
      "--kubernetes-version <version>",
      "version of Kubernetes that the cluster reports, with its kinds, fields and features, 1.33 to 1.36 (default: 1.33 is reported, and everything is served)",
      parseOne(kubernetesVersion),
    )
    .option("--ingress", "serve Ingresses of the class kintsugi, the default, by HAProxy on the bridge's address")
    .option("--rebalance", "move pods that crowd together to nodes that have returned or joined")
    .option(
      "--hollow <count>",
      "number of nodes without containers beside the others (docs/recipes/run-hollow-nodes.md)",
      parseCount({ min: 1, max: hollowNodesMax }),
    )
    .option(
      "--servers <count>",
      "machines of the control plane, each with an API server, a scheduler, a controller-manager, and a member of etcd and NATS: 1 (the default: this host, without etcd), 3 or 5",
      parseCount({ min: 1, max: 5 }),
    )
    .addOption(
      durationOption("--wait <duration>", "time to wait until pods can run on all nodes; 0 does not wait", "1m"),
    );
}

/** Brings the cluster up, shows each step, and leaves a context for kubectl. */
export async function bringUp(context: CommandContext, options: UpOptions): Promise<KnownCluster> {
  const { config, terminal } = context;
  const topology = options.config === undefined ? undefined : readTopology(options.config);
  if (topology?.nodes !== undefined && options.nodes !== undefined)
    throw new CommandError("--nodes and the nodes of --config exclude each other");
  const wanted = topology === undefined ? options : withTopology(options, topology);
  const lacking = explainFindings(inspectHost(config.host, wanted.ociRuntime));
  if (lacking !== undefined) throw new CommandError(lacking);
  if ((wanted.servers ?? 1) > 1) assertServersCanRun(config.host.searchPath);
  const kubeconfig = resolve(kubeconfigPath(options.kubeconfig, config.environment));
  // The path is checked first: without it, the user would have a cluster without a key.
  await makeDirectory(dirname(kubeconfig), { flag: "--kubeconfig", mode: 0o755 });
  assertKubeconfigIsFile(kubeconfig);
  if (wanted.ingress === true && findProgram("haproxy", config.host.searchPath) === undefined)
    throw new CommandError("--ingress needs haproxy: install it with `apt-get install haproxy`");
  const hasNft = findProgram("nft", config.host.searchPath) !== undefined;
  const cluster = await openCluster(context, {
    name: wanted.name,
    nodeCount: wanted.nodes ?? defaultNodeCount,
    profile: wanted.profile ?? "default",
    // The supervisor does not work in this directory.
    dataRoot: resolve(wanted.dataDir),
    apiPort: wanted.apiPort,
    registries: registriesIn(wanted),
    kubeletArgs: wanted.kubeletArg ?? [],
    ociRuntime: wanted.ociRuntime,
    // Pods would get an address of the API that leads nowhere.
    proxy: wanted.proxy && hasNft,
    csi: wanted.csi,
    kubernetesVersion: wanted.kubernetesVersion,
    ingress: wanted.ingress ?? false,
    cloud: cloudOf(wanted),
    egress: wanted.egress,
    rebalance: wanted.rebalance ?? false,
    hollowNodes: wanted.hollow ?? 0,
    servers: wanted.servers ?? 1,
    ...(topology?.nodes === undefined ? {} : { nodes: topology.nodes }),
    portForwards: topology?.portForwards ?? [],
    images: topology?.images ?? [],
  });
  if (cluster.existed) refuseContradictions(cluster, wanted, topology);
  const { spec } = cluster;
  terminal.say(
    cluster.existed
      ? `Cluster "${spec.name}" exists; verifying that it is running ...`
      : `Creating cluster "${spec.name}" with ${spec.servers === undefined ? "" : `${count(spec.servers.length, "server")} and `}${count(spec.nodes.length, "node")}, profile ${spec.profile}, OCI runtime ${ociRuntimeOf(spec)} ...`,
  );
  if (wanted.proxy && !hasNft)
    terminal.say(
      "nft is missing, so nodes have no proxies and addresses of Services have no effect: install it with `apt-get install nftables`, and create the cluster again",
    );
  await startKnown(context, cluster, options.wait);
  await publishKubeconfig(context, cluster, kubeconfig);
  return cluster;
}

/** Starts what does not run of a cluster, and waits until pods can run on its nodes. */
export async function startKnown(context: CommandContext, cluster: KnownCluster, waitMs: number): Promise<void> {
  const { clock, signal, terminal, config } = context;
  const startMs = Math.max(waitMs, 30_000);
  const control = createControlClient(cluster.paths.supervisorSocket);
  await terminal.step("Supervisor", () =>
    ensureSupervisor({ clock }, cluster, [...config.supervisorCommand, "--name", cluster.spec.name]),
  );
  const supervised = terminal.step("Certificates, network, images, processes", () =>
    waitForSupervisor({ clock, signal }, control, startMs),
  );
  await supervised;
  const client = adminClient(context, cluster);
  try {
    await terminal.step("Control plane", () => waitForApi({ clock, signal }, client, startMs));
    await loadImages(context, cluster.spec.images ?? [], cluster.spec);
    if (waitMs > 0) await waitNodes(context, cluster, { client, waitMs });
  } finally {
    await client.close();
  }
}

async function waitNodes(
  context: CommandContext,
  cluster: KnownCluster,
  wait: { client: Client; waitMs: number },
): Promise<void> {
  const control = createControlClient(cluster.paths.supervisorSocket);
  const states = (await control.status())?.nodes ?? {};
  // A node that was killed or cut off on purpose is not waited for.
  const names = cluster.spec.nodes
    .map((node) => node.name)
    .filter((name) => {
      const state = states[name];
      return !state || (state.power === "on" && state.link === "up" && state.kubelet === "running");
    });
  await stepUntilUsable(context, wait.client, { names, waitMs: wait.waitMs });
}

async function publishKubeconfig(context: CommandContext, cluster: KnownCluster, file: string): Promise<void> {
  const { clock, terminal } = context;
  const name = contextName(cluster.spec.name);
  const identity = await readIdentity(cluster.paths.pki, "admin");
  await changeKubeconfigFile({ clock }, file, (document) =>
    withEntry(document, { name, ...apiAddresses(cluster.spec), ...identity }),
  );
  terminal.say(`Set kubectl context to "${name}" in ${file}`);
  terminal.say("Anybody who may create pods in this cluster is root on this host: SECURITY.md says why.");
  terminal.say("You can now use your cluster with:\n");
  terminal.say(`kubectl get nodes --context ${name}`);
}

/** kubectl knows one address, behind which several servers have their balancer. */
function apiAddresses(spec: ClusterSpec): { server: string; servers?: readonly string[] } {
  const server = `https://127.0.0.1:${spec.apiPort}`;
  return spec.servers === undefined ? { server } : { server, servers: apiServerUrls(spec) };
}

/** @throws CommandError with the packages that several servers need and this host lacks. */
function assertServersCanRun(searchPath: string): void {
  const lacking = requirements
    .filter(({ isForServers, anyOf }) => isForServers && !anyOf.some((name) => findProgram(name, searchPath)))
    .map((requirement) => requirement.package);
  if (lacking.length === 0) return;
  throw new CommandError(`--servers needs packages: install with \`apt-get install ${lacking.join(" ")}\`.`);
}

function cloudOf({ cloud }: UpOptions): { machinesMax: number } | undefined {
  if (cloud === undefined) return undefined;
  return { machinesMax: cloud === true ? cloudMachinesDefault : cloud };
}

function registriesIn(options: UpOptions): RegistrySpec[] {
  return [...(options.insecureRegistry ?? []), ...(options.registryMirror ?? [])];
}

/** A cluster is not changed by `up`: it keeps its first options. */
function refuseContradictions({ spec }: KnownCluster, options: UpOptions, topology: ClusterTopology | undefined): void {
  const differs = [
    topology?.nodes !== undefined && !sameNodes(spec, topology.nodes) ? "other nodes" : "",
    topology !== undefined && !isDeepStrictEqual(topology.portForwards, spec.portForwards ?? []) ? "other ports" : "",
    topology !== undefined && !isDeepStrictEqual(topology.images, spec.images ?? []) ? "other images" : "",
    options.nodes !== undefined && options.nodes !== spec.nodes.length
      ? `${count(spec.nodes.length, "node")}, not ${options.nodes}`
      : "",
    options.profile !== undefined && options.profile !== spec.profile
      ? `profile ${spec.profile}, not ${options.profile}`
      : "",
    options.apiPort !== undefined && options.apiPort !== spec.apiPort
      ? `API port ${spec.apiPort}, not ${options.apiPort}`
      : "",
    registriesIn(options).some(({ host }) => !(spec.registries ?? []).some((known) => known.host === host))
      ? "other registries"
      : "",
    options.kubeletArg !== undefined && options.kubeletArg.join() !== (spec.kubeletArgs ?? []).join()
      ? `kubelet flags ${(spec.kubeletArgs ?? []).join(" ") || "of its own"}, not ${options.kubeletArg.join(" ")}`
      : "",
    options.ociRuntime !== undefined && options.ociRuntime !== ociRuntimeOf(spec)
      ? `OCI runtime ${ociRuntimeOf(spec)}, not ${options.ociRuntime}`
      : "",
    !options.proxy && spec.proxy !== false ? "proxies" : "",
    !options.csi && spec.csi === true ? "a storage driver" : "",
    !options.egress && spec.egress !== false ? "egress from this host" : "",
    options.kubernetesVersion !== undefined && options.kubernetesVersion !== spec.kubernetesVersion
      ? `Kubernetes ${spec.kubernetesVersion ?? "1.33 and later fields"}, not ${options.kubernetesVersion}`
      : "",
    options.ingress === true && spec.ingress !== true ? "no Ingress controller" : "",
    options.rebalance === true && spec.rebalance !== true ? "no rebalancing" : "",
    options.cloud !== undefined && !isDeepStrictEqual(cloudOf(options), spec.cloud)
      ? `${spec.cloud === undefined ? "no cloud" : `a cloud of at most ${count(spec.cloud.machinesMax, "machine")}`}`
      : "",
    options.hollow !== undefined && options.hollow !== (spec.hollowNodes ?? 0)
      ? `${count(spec.hollowNodes ?? 0, "hollow node")}, not ${options.hollow}`
      : "",
    options.servers !== undefined && options.servers !== (spec.servers?.length ?? 1)
      ? `${count(spec.servers?.length ?? 1, "server")}, not ${options.servers}`
      : "",
  ].filter((text) => text !== "");
  if (differs.length === 0) return;
  throw new CommandError(
    `cluster "${spec.name}" exists with ${differs.join(" and ")}: remove it first, or choose another --name`,
  );
}

/** The options as a topology completes them; what the command line has wins. */
function withTopology(options: UpOptions, topology: ClusterTopology): UpOptions {
  const {
    name,
    profile,
    ociRuntime,
    apiPort,
    rebalance,
    ingress,
    kubernetesVersion,
    servers,
    registries,
    kubeletArgs,
  } = topology;
  return {
    ...options,
    name: options.name === defaultClusterName ? (name ?? options.name) : options.name,
    ...(profile === undefined || options.profile !== undefined ? {} : { profile }),
    ...(ociRuntime === undefined || options.ociRuntime !== undefined ? {} : { ociRuntime }),
    ...(apiPort === undefined || options.apiPort !== undefined ? {} : { apiPort }),
    ...(rebalance === undefined || options.rebalance !== undefined ? {} : { rebalance }),
    ...(kubernetesVersion === undefined || options.kubernetesVersion !== undefined ? {} : { kubernetesVersion }),
    ...(ingress === undefined || options.ingress !== undefined ? {} : { ingress }),
    ...(servers === undefined || options.servers !== undefined ? {} : { servers }),
    ...(registries.length === 0 ? {} : { insecureRegistry: [...(options.insecureRegistry ?? []), ...registries] }),
    ...(kubeletArgs === undefined ? {} : { kubeletArg: [...kubeletArgs, ...(options.kubeletArg ?? [])] }),
  };
}

/** Nodes that were added or removed since make the cluster another one. */
function sameNodes({ nodes }: ClusterSpec, wanted: readonly NewNode[]): boolean {
  const settings = ({ labels, taints, kubeletArgs }: NewNode | NodeSpec) => ({ labels, taints, kubeletArgs });
  return (
    nodes.length === wanted.length &&
    wanted.every((node, index) => {
      const present = nodes[index];
      const sameName = node.name === undefined || node.name === present?.name;
      return present !== undefined && sameName && isDeepStrictEqual(settings(node), settings(present));
    })
  );
}

export function count(amount: number, noun: string): string {
  return `${amount} ${noun}${amount === 1 ? "" : "s"}`;
}

/** Returns the version without its patch. @throws Error that names the versions. */
function kubernetesVersion(text: string): string {
  return `1.${parseKubernetesVersion(text)}`;
}

/** Parses an option that may be repeated. */
function parseEach<T>(parse: (text: string) => T): (text: string, before: T[] | undefined) => T[] {
  return (text, before = []) => [...before, parseOne(parse)(text)];
}
