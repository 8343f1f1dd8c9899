import {
  type Ipv4Range,
  formatIpv4,
  formatIpv4Range,
  parseIpv4Range,
  parseQuantity,
  zoneLabel,
  hollowLabel,
} from "@kintsugi/api";
import { flag, flagDefaults, FlagError, type FlagValues } from "@kintsugi/daemon";
import { kubeletFlags, type KubeletOptions, kubeletOptions } from "@kintsugi/kubelet/factory";
import type { FleetOptions } from "./fleet.ts";

/** The smallest address range of one node's pods: a /24, as on other nodes. */
const podRangeSizeMin = 256;
/** The first address of a range is the network's, and the second is the node's. */
const addressesOfNode = 2;

/** Flags that each of the kubelets gets unchanged. */
const passedOn = {
  profile: kubeletFlags.profile,
  "max-pods": kubeletFlags["max-pods"],
  "node-labels": kubeletFlags["node-labels"],
  "register-with-taints": kubeletFlags["register-with-taints"],
  "node-lease-duration": kubeletFlags["node-lease-duration"],
  "node-lease-renew-interval": kubeletFlags["node-lease-renew-interval"],
  "node-monitor-grace-period": kubeletFlags["node-monitor-grace-period"],
  "node-status-update-frequency": kubeletFlags["node-status-update-frequency"],
  "node-status-report-frequency": kubeletFlags["node-status-report-frequency"],
};

/** Flags of the nodes and their machines, for every program that runs them. */
export const fleetFlags = {
  "first-number": flag.count({
    min: 1,
    help: "Number of the first node, for a further process in addition to others",
    fallback: 1,
  }),
  "name-prefix": flag.text({ help: "Prefix of the nodes' names, which a number follows", fallback: "hollow-" }),
  zones: flag.count({ help: "Number of zones over which the nodes are spread; 0 means no zones", fallback: 0 }),
  "pod-network": flag.text({
    help: "Addresses of the nodes' pods, which are not reachable; each node gets 256 by its number, or more if its pods need more",
    fallback: "100.64.0.0/10",
  }),
  cpu: flag.text({ help: "Processors of each node, as a quantity", fallback: "4" }),
  memory: flag.text({ help: "Memory of each node, as a quantity", fallback: "32Gi" }),
  storage: flag.text({ help: "Disk of each node, as a quantity", fallback: "100Gi" }),
  ...passedOn,
} as const;

/** Interval at which a hollow machine checks for changes that cannot happen on it. */
const seldomMs = 3_600_000;

/**
 * The kubelets and their machines, from their flags.
 * @throws FlagError
 */
export function fleetConfig(
  flags: FlagValues<typeof fleetFlags> & { nodes: number },
): Pick<FleetOptions, "kubelets" | "machine"> {
  const numbers = Array.from({ length: flags.nodes }, (_, index) => flags["first-number"] + index);
  const podRangeSize = podRangeSizeFor(flags["max-pods"]);
  const network = networkOf(flags["pod-network"], { last: numbers.at(-1) ?? 0, podRangeSize });
  const given = Object.fromEntries(Object.keys(passedOn).map((name) => [name, flags[name as keyof typeof passedOn]]));
  const common = kubeletOptions({
    ...flagDefaults(kubeletFlags, flags.profile),
    ...given,
    "node-ip": [],
    "root-dir": "/kubelet",
  });
  const node = (number: number): KubeletOptions => {
    const nodeName = `${flags["name-prefix"]}${number}`.toLowerCase();
    const range = { first: network.first + number * podRangeSize, size: podRangeSize };
    const zone = flags.zones === 0 ? {} : { [zoneLabel]: `zone-${((number - 1) % flags.zones) + 1}` };
    // The first address of a range is the gateway on other nodes, so pods do not get it.
    const address = formatIpv4(range.first + 1);
    return {
      ...common,
      nodeName,
      hostname: nodeName,
      nodeIps: [address],
      podCidr: formatIpv4Range(range),
      clusterDnsServers: [address],
      labels: { ...zone, [hollowLabel]: "true", ...common.labels },
      podLogsDirectory: "/logs",
      memoryDirectory: "/memory",
      // Hollow containers neither write logs nor fill the machine, so checks after the first are
      // useless.
      logRotation: { ...common.logRotation, maxSizeBytes: -1 },
      eviction: { ...common.eviction, monitoringPeriodMs: seldomMs },
    };
  };
  return {
    kubelets: numbers.map(node),
    machine: {
      cpuMillicores: quantity("cpu", flags.cpu, 1_000_000n),
      memoryBytes: quantity("memory", flags.memory, 1_000_000_000n),
      ephemeralStorageBytes: quantity("storage", flags.storage, 1_000_000_000n),
    },
  };
}

/** A power of two, as ranges of networks are. */
function podRangeSizeFor(maxPods: number): number {
  return Math.max(podRangeSizeMin, 2 ** Math.ceil(Math.log2(maxPods + addressesOfNode)));
}

/**
 * @param last the highest number of a node.
 * @throws FlagError
 */
function networkOf(text: string, { last, podRangeSize }: { last: number; podRangeSize: number }): Ipv4Range {
  let range: Ipv4Range;
  try {
    range = parseIpv4Range(text);
  } catch (error) {
    throw new FlagError(`--pod-network ${JSON.stringify(text)}: ${(error as Error).message}`, { cause: error });
  }
  const most = range.size / podRangeSize - 1;
  if (last <= most) return range;
  throw new FlagError(
    `--pod-network ${text} has room for the nodes 1 to ${most} of ${podRangeSize} addresses each, not for ${last}: use a larger network, fewer nodes, or fewer --max-pods`,
  );
}

/** @throws FlagError unless the text is a quantity above zero. */
function quantity(name: string, text: string, nanosPerUnit: bigint): number {
  try {
    const units = Number(parseQuantity(text).nanos / nanosPerUnit);
    if (units > 0) return units;
  } catch (error) {
    throw new FlagError(`--${name} ${JSON.stringify(text)}: ${(error as Error).message}`, { cause: error });
  }
  throw new FlagError(`--${name} must be more than 0, not ${text}`);
}
