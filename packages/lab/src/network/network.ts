import { readdir, readFile } from "node:fs/promises";
import type { ClusterSpec, NodeSpec, ServerSpec } from "../cluster/cluster-spec.ts";
import type { ServerCut } from "../cluster/component.ts";
import { runCommand } from "@kintsugi/daemon";
import { cloudTable, type MachineAddresses, nodeAddresses, serverAddresses } from "./addresses.ts";
import { planCut } from "./plan-cut.ts";
import {
  type IpCommand,
  type ObservedNetwork,
  planBridge,
  planNode,
  planNodeRemoval,
  planRemoval,
  planRoutesTo,
  planServer,
} from "./plan-network.ts";

/** Creates, or completes, one node's namespace and cable; the bridge must exist. */
export async function applyNode(spec: ClusterSpec, node: NodeSpec, linkUp: boolean): Promise<void> {
  await runIp(planNode(spec, node, { ...(await observeNetwork()), linkUp }));
  await enableForwarding(spec, node);
}

/** `applyNode` for a server. */
export async function applyServer(spec: ClusterSpec, server: ServerSpec, linkUp: boolean): Promise<void> {
  await runIp(planServer(spec, server, { ...(await observeNetwork()), linkUp }));
}

/** Creates, or completes, the bridge, and the host's routes to the pods. */
export async function applyBridge(spec: ClusterSpec): Promise<void> {
  await runIp(planBridge(spec, await observeNetwork()));
}

/** Makes the pods of an added node reachable for the other nodes. */
export async function applyRoutesTo(spec: ClusterSpec, node: NodeSpec): Promise<void> {
  await runIp(planRoutesTo(spec, node, await observeNetwork()));
}

/** Removes one node's namespace and cable, and the routes to its pods. Repeatable. */
export async function removeNodeNetwork(spec: ClusterSpec, node: NodeSpec): Promise<void> {
  await runEach(planNodeRemoval(spec, node, await observeNetwork()));
}

export async function removeNetwork(spec: ClusterSpec): Promise<void> {
  // A cloud that was killed leaves its table behind.
  if (spec.cloud !== undefined)
    await runCommand("nft", ["delete", "table", "ip", cloudTable(spec.name)]).catch(() => {});
  await runEach(planRemoval(spec, await observeNetwork()));
}

/** Each command runs even if another failed, because a half-made network must be removed too. */
async function runEach(commands: readonly IpCommand[]): Promise<void> {
  for (const command of commands) {
    await runCommand("ip", command).catch(async (error: unknown) => {
      if ((await observedStillHas(command)) === true) throw error;
    });
  }
}

/** Plugs or unplugs a machine's cable. */
export async function setLink({ hostLink }: MachineAddresses, state: "up" | "down"): Promise<void> {
  await runCommand("ip", ["link", "set", hostLink, state]);
}

/**
 * Sets a server's packet filter to its requested cut; without a cut, the filter accepts all
 * packets.
 */
export async function applyCut(spec: ClusterSpec, server: ServerSpec, cut: ServerCut | undefined): Promise<void> {
  const { namespacePath } = serverAddresses(spec, server);
  const others = (spec.servers ?? []).filter(({ name }) => name !== server.name);
  const input = planCut(cut, { others: others.map((other) => serverAddresses(spec, other).address) });
  await runCommand("nsenter", [`--net=${namespacePath}`, "iptables-restore", "--wait"], { input });
}

/** The directory of the names of `ip netns`. */
const namespacesDirectory = "/var/run/netns";

/**
 * Returns the links and namespaces of this process's own network. It reads files and does not run
 * `ip`, because it runs for each node, and starting a program blocks the supervisor for 3 to 20 ms
 * while the whole cluster starts.
 */
export async function observeNetwork(): Promise<ObservedNetwork> {
  const [devices, namespaces] = await Promise.all([
    readFile("/proc/self/net/dev", "utf8"),
    // The directory does not exist before the first namespace.
    readdir(namespacesDirectory).catch(() => []),
  ]);
  return { links: linksIn(devices), namespaces: new Set(namespaces) };
}

/**
 * The list has two header lines and then one line per link, which begins with its name: " eth0:
 * 1234 …", "kt-a1b2c3:0 …".
 */
export function linksIn(devices: string): Set<string> {
  return new Set([...devices.matchAll(/^ *([^\s:|]+):/gm)].map(([, name = ""]) => name));
}

/** The destinations of the host's routes: "10.64.0.0/24", "default". */
export async function hostRoutes(): Promise<string[]> {
  return [...namesIn(await runCommand("ip", ["-j", "route"]), "dst")];
}

async function observedStillHas(command: IpCommand): Promise<boolean> {
  const observed = await observeNetwork();
  const name = command[2] ?? "";
  return observed.links.has(name) || observed.namespaces.has(name);
}

async function runIp(commands: readonly IpCommand[]): Promise<void> {
  // `-n` is not allowed inside a batch, so consecutive commands of one namespace share one call.
  for (const group of groupByNamespace(commands)) {
    await runCommand("ip", [...group.namespace, "-batch", "-"], { input: group.lines.join("\n") });
  }
}

function groupByNamespace(commands: readonly IpCommand[]): { namespace: string[]; lines: string[] }[] {
  const groups: { namespace: string[]; lines: string[] }[] = [];
  for (const command of commands) {
    const namespace = command[0] === "-n" ? command.slice(0, 2) : [];
    const line = command.slice(namespace.length).join(" ");
    const last = groups.at(-1);
    if (last && last.namespace.join(" ") === namespace.join(" ")) last.lines.push(line);
    else groups.push({ namespace: [...namespace], lines: [line] });
  }
  return groups;
}

/** A node forwards between its pods and its cable. */
async function enableForwarding(spec: ClusterSpec, node: NodeSpec): Promise<void> {
  const { namespacePath } = nodeAddresses(spec, node);
  await runCommand("nsenter", [`--net=${namespacePath}`, "sh", "-c", "echo 1 > /proc/sys/net/ipv4/ip_forward"]);
}

function namesIn(json: string, field: string): Set<string> {
  const rows = JSON.parse(json.trim() === "" ? "[]" : json) as Record<string, string>[];
  return new Set(rows.map((row) => row[field] ?? ""));
}
