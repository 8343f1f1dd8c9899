import { hollowNodesMax, nodesMax, parseKubernetesVersion, type ProfileName } from "@kintsugi/api";
import {
  defaultDataRoot,
  insecureRegistry,
  type OciRuntime,
  ociRuntimes,
  registryMirror,
  type RegistrySpec,
} from "@kintsugi/lab";
import { Option, type Command as Program } from "commander";
import { defaultClusterName, newClusterOption } from "../base/cluster-option.ts";
import { durationOption, parseCount, parseOne, ports, profileOption } from "../base/option-values.ts";
import { collectKubeletArg } from "../topology/node-commands.ts";
import type { ClusterTopology } from "../topology/topology-file.ts";

export interface UpOptions {
  name?: string;
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
  /** The number of simulated devices of each node. */
  devices?: number;
  kubernetesVersion?: string;
  ingress?: boolean;
  /** The most machines that the cloud adds. */
  cloud?: number | true;
  externalIps?: boolean;
  rebalance?: boolean;
  traces?: string;
  hollow?: number;
  servers?: number;
  /** False with --no-egress. */
  egress: boolean;
  /** The time for the start, in milliseconds. */
  wait: number;
}

export const defaultNodeCount = 3;
/** Each is a containerd and a kubelet of its own on this host. */
const cloudMachinesDefault = 5;
/** The limit of the lab's driver of devices. */
const devicesMax = 1024;

/** The options that `up` and `demo` share. */
export function addUpOptions(program: Program): Program {
  return addPartOptions(program)
    .addOption(
      newClusterOption(
        `name of the cluster (default: that of --config, else $KINTSUGI_NAME, else ${defaultClusterName})`,
      ),
    )
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
    .option("--no-csi", "start no storage driver: no default StorageClass, and no kinds of volume snapshots")
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
    .addOption(
      durationOption("--wait <duration>", "time to wait until pods can run on all nodes; 0 does not wait", "1m"),
    );
}

/** Adds the options for parts that clusters have only where they are asked for. */
function addPartOptions(program: Program): Program {
  return program
    .option("--ingress", "serve Ingresses of the class kintsugi, the default, by HAProxy on the bridge's address")
    .option(
      "--devices <count>",
      "number of simulated devices on each node, for ResourceClaims of the class device.lab.kintsugi.dev (docs/design/devices.md)",
      parseCount({ min: 1, max: devicesMax }),
    )
    .option(
      "--external-ips",
      "let users of a namespace give Services external IPs, which every node then leads to their pods (SECURITY.md)",
    )
    .option("--rebalance", "move pods that crowd together to nodes that have returned or joined")
    .option(
      "--traces <url>",
      "OpenTelemetry collector that receives a trace of each recovery, such as http://127.0.0.1:4318 (docs/recipes/send-traces.md)",
      parseOne(collectorUrl),
    )
    .option(
      "--hollow <count>",
      "number of nodes without containers beside the others (docs/recipes/run-hollow-nodes.md)",
      parseCount({ min: 1, max: hollowNodesMax }),
    )
    .option(
      "--servers <count>",
      "machines of the control plane, each with an API server, a scheduler, a controller-manager, and a member of etcd and NATS: 1 (the default: this host, without etcd), 3 or 5",
      parseCount({ min: 1, max: 5 }),
    );
}

/** The options as a topology completes them; what the command line has wins. */
export function withTopology(options: UpOptions, topology: ClusterTopology): UpOptions {
  const {
    name,
    profile,
    ociRuntime,
    apiPort,
    externalIps,
    rebalance,
    ingress,
    devices,
    kubernetesVersion,
    servers,
    registries,
    kubeletArgs,
  } = topology;
  return {
    ...options,
    ...(name === undefined || options.name !== undefined ? {} : { name }),
    ...(profile === undefined || options.profile !== undefined ? {} : { profile }),
    ...(ociRuntime === undefined || options.ociRuntime !== undefined ? {} : { ociRuntime }),
    ...(apiPort === undefined || options.apiPort !== undefined ? {} : { apiPort }),
    ...(externalIps === undefined || options.externalIps !== undefined ? {} : { externalIps }),
    ...(rebalance === undefined || options.rebalance !== undefined ? {} : { rebalance }),
    ...(kubernetesVersion === undefined || options.kubernetesVersion !== undefined ? {} : { kubernetesVersion }),
    ...(ingress === undefined || options.ingress !== undefined ? {} : { ingress }),
    ...(devices === undefined || options.devices !== undefined ? {} : { devices }),
    ...(servers === undefined || options.servers !== undefined ? {} : { servers }),
    ...(registries.length === 0 ? {} : { insecureRegistry: [...(options.insecureRegistry ?? []), ...registries] }),
    ...(kubeletArgs === undefined ? {} : { kubeletArg: [...kubeletArgs, ...(options.kubeletArg ?? [])] }),
  };
}

/** Returns the cloud that the options ask for; undefined: none. */
export function cloudOf({ cloud }: UpOptions): { machinesMax: number } | undefined {
  if (cloud === undefined) return undefined;
  return { machinesMax: cloud === true ? cloudMachinesDefault : cloud };
}

/** Returns the registries of all options that name some. */
export function registriesIn(options: UpOptions): RegistrySpec[] {
  return [...(options.insecureRegistry ?? []), ...(options.registryMirror ?? [])];
}

/** Returns the version without its patch. @throws Error that names the versions. */
function kubernetesVersion(text: string): string {
  return `1.${parseKubernetesVersion(text)}`;
}

/** @throws Error where the text is no URL of a collector. */
function collectorUrl(text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  throw new Error("it is a URL of http or https, such as http://127.0.0.1:4318");
}

/** Parses an option that may be repeated. */
function parseEach<T>(parse: (text: string) => T): (text: string, before: T[] | undefined) => T[] {
  return (text, before = []) => [...before, parseOne(parse)(text)];
}
