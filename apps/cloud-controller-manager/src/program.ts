import { parseIpv4Range } from "@kintsugi/api";
import {
  type CloudProvider,
  createCloudClient,
  createContainerCloud,
  createLibvirtCloud,
  engineOn,
  virshAt,
} from "@kintsugi/cloud";
import { defineProgram } from "@kintsugi/controller/program";
import { flag, FlagError } from "@kintsugi/daemon";
import { runCloudControllers } from "./cloud-controllers.ts";
import type { RouteSettings } from "./context.ts";

const cloudProviders = ["lab", "compose", "libvirt"] as const;

/** The cloud, and the connection to it. */
type CloudSettings =
  | { provider: "lab"; socket: string }
  | { provider: "compose"; socket: string; project: string }
  | {
      provider: "libvirt";
      uri: string;
      domainPrefix: string;
      /** The environment of virsh: its PATH, and the home directory for ssh. */
      environment: Readonly<Record<string, string | undefined>>;
    };

export const program = defineProgram({
  name: "cloud-controller-manager",
  description: "Keeps nodes and load balancers in sync with a cloud.",
  port: 10258,
  lease: "cloud-controller-manager",
  options: {
    "cloud-socket": flag.path({
      help: "Path of the socket of the cloud or of the container engine; libvirt does not use a socket",
      fallback: "/run/kintsugi/cloud.sock",
    }),
    "cloud-provider": flag.choice(cloudProviders, {
      help: "lab: a cloud with its own socket; compose: the containers of a project, by the socket of a container engine; libvirt: the domains of a host, by virsh",
      fallback: "lab",
    }),
    "compose-project": flag.text({ help: "Project of compose whose containers are machines", fallback: "kintsugi" }),
    "libvirt-uri": flag.text({
      help: "Connection URI of the libvirt whose domains are machines",
      fallback: "qemu:///system",
    }),
    "libvirt-domain-prefix": flag.text({
      help: "Prefix of the names of domains that are machines; the rest of the name is the Node's name",
      fallback: "",
    }),
    timeout: flag.durationMs({ help: "Timeout of a call to the cloud", fallback: 15_000 }),
    "node-monitor-period": flag.durationMs({
      help: "Interval at which the cloud is queried about nodes that are not ready",
      fallback: 5_000,
    }),
    "node-status-update-frequency": flag.durationMs({
      help: "Interval at which the cloud is queried about the addresses of nodes",
      fallback: 300_000,
    }),
    "service-sync-period": flag.durationMs({
      help: "Kintsugi's own: interval at which load balancers are compared with the cloud's",
      fallback: 300_000,
    }),
    "configure-cloud-routes": flag.boolean({
      help: "Whether the cloud gets routes to the pods of nodes; requires --cluster-cidr",
      fallback: true,
    }),
    "cluster-cidr": flag.text({
      help: "Network of the pods of all nodes, as a CIDR; routes are created only if this flag is set",
      example: "10.64.0.0/16",
    }),
    "route-reconciliation-period": flag.durationMs({
      help: "Interval at which the cloud's routes are compared with the nodes",
      fallback: 10_000,
    }),
  },
  read: (given) => ({
    cloud: cloudOf(given),
    callTimeoutMs: given.timeout,
    timers: {
      nodeMonitorPeriodMs: given["node-monitor-period"],
      nodeStatusUpdateMs: given["node-status-update-frequency"],
      serviceSyncPeriodMs: given["service-sync-period"],
    },
    routes: routesOf(given),
  }),
  start({ client, clock, random, log, metrics, leaderElection, config }) {
    const { timers, routes } = config;
    const deps = { client, clock, random, log, metrics, cloud: cloudAt(config) };
    return {
      name: "cloud-controllers",
      run: (signal) => runCloudControllers(deps, { timers, routes, leaderElection }, signal),
    };
  },
});

function cloudAt({ cloud, callTimeoutMs }: { cloud: CloudSettings; callTimeoutMs: number }): CloudProvider {
  switch (cloud.provider) {
    case "lab":
      return createCloudClient({ socket: cloud.socket, callTimeoutMs });
    case "compose":
      return createContainerCloud(engineOn(cloud.socket, callTimeoutMs), { project: cloud.project });
    case "libvirt":
      return createLibvirtCloud(virshAt({ ...cloud, callTimeoutMs }), cloud);
  }
}

/** libvirt's own form of a URI; a path of a socket or a certificate may be in its query. */
const libvirtUri = /^[a-z][a-z0-9]*(\+[a-z0-9]+)?:\/\/[^\s]*$/;

/** @throws FlagError */
function cloudOf(given: {
  "cloud-provider": CloudSettings["provider"];
  "cloud-socket": string;
  "compose-project": string;
  "libvirt-uri": string;
  "libvirt-domain-prefix": string;
}): CloudSettings {
  const { "cloud-provider": provider, "cloud-socket": socket } = given;
  if (provider === "libvirt") {
    const { "libvirt-uri": uri, "libvirt-domain-prefix": domainPrefix } = given;
    if (!libvirtUri.test(uri))
      throw new FlagError(
        `--libvirt-uri: "${uri}" is not a libvirt URI, such as qemu:///system or qemu+ssh://host/system`,
      );
    return { provider, uri, domainPrefix, environment: process.env };
  }
  return provider === "lab" ? { provider, socket } : { provider, socket, project: given["compose-project"] };
}

/** @throws FlagError */
function routesOf(given: {
  "configure-cloud-routes": boolean;
  "cluster-cidr": string | undefined;
  "route-reconciliation-period": number;
}): RouteSettings | undefined {
  const { "cluster-cidr": cidr, "route-reconciliation-period": periodMs } = given;
  if (!given["configure-cloud-routes"] || cidr === undefined) return undefined;
  try {
    return { clusterRange: parseIpv4Range(cidr), periodMs };
  } catch (error) {
    throw new FlagError(`--cluster-cidr: ${(error as Error).message}`, { cause: error });
  }
}
