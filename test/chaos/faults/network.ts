import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { findNode, nodeAddresses } from "@kintsugi/lab";
import type { LineFault } from "../../support/servers/fault-proxy.ts";
import { between, type Fault, type Injected, pick, type World } from "./fault.ts";

const run = promisify(execFile);

/** Cables, packets, and the connections to the api-server. */
export const networkFaults: readonly Fault[] = [
  {
    name: "a node dies and returns",
    family: "network",
    lastsMs: { min: 3_000, max: 14_000 },
    alone: true,
    async inject({ cluster, random }) {
      const node = pick(random, cluster.nodeNames);
      await cluster.act(node, "kill");
      return { onto: node, undo: () => cluster.act(node, "return") };
    },
  },
  {
    name: "a node's link is cut",
    family: "network",
    lastsMs: { min: 3_000, max: 14_000 },
    async inject({ cluster, random }) {
      const node = pick(random, cluster.nodeNames);
      await cluster.act(node, "partition");
      return { onto: node, undo: () => cluster.act(node, "heal") };
    },
  },
  packetFault("a node is not heard", [["OUTPUT", "-o", "eth0"]], { min: 3_000, max: 14_000 }),
  packetFault("a node hears nothing", [["INPUT", "-i", "eth0"]], { min: 3_000, max: 14_000 }),
  packetFault(
    "a third of a node's packets are lost",
    [
      ["OUTPUT", "-o", "eth0", "-m", "statistic", "--mode", "random", "--probability", "0.33"],
      ["INPUT", "-i", "eth0", "-m", "statistic", "--mode", "random", "--probability", "0.33"],
    ],
    { min: 4_000, max: 12_000 },
  ),
  lineFault("the lines to the api-server are slow", { delayMs: 400, bytesPerSecondMax: 200_000 }, everybody),
  lineFault("answers of the api-server do not come", { stuck: "toClient" }, somebody),
  lineFault("requests to the api-server do not arrive", { stuck: "toServer" }, somebody),
  lineFault("answers of the api-server break off", { resetAfterBytes: 3_000 }, somebody),
  {
    name: "connections to the api-server are cut",
    family: "network",
    lastsMs: { min: 2_000, max: 6_000 },
    keeps: "pods",
    async inject({ cluster }) {
      const { api } = cluster.proxies;
      const timer = setInterval(() => api.reset(() => true), 300);
      return { onto: "everybody", undo: async () => clearInterval(timer) };
    },
  },
];

/** Rules of iptables inside the node's namespace. */
function packetFault(name: string, rules: readonly (readonly string[])[], lastsMs: Fault["lastsMs"]): Fault {
  return {
    name,
    family: "network",
    lastsMs,
    keeps: "containers",
    async inject({ cluster, random }): Promise<Injected> {
      const node = pick(random, cluster.nodeNames);
      const { namespace } = nodeAddresses(cluster.known.spec, findNode(cluster.known.spec, node));
      const change = async (how: "-A" | "-D") => {
        for (const rule of rules)
          await run("ip", ["netns", "exec", namespace, "iptables", "-w", how, ...rule, "-j", "DROP"]);
      };
      await change("-A");
      return { onto: node, undo: () => change("-D") };
    },
  };
}

interface Target {
  readonly onto: string;
  readonly clients: (address: string) => boolean;
}

function lineFault(name: string, fault: LineFault, target: (world: World) => Target): Fault {
  return {
    name,
    family: "network",
    lastsMs: { min: 3_000, max: 10_000 },
    keeps: "containers",
    async inject(world): Promise<Injected> {
      const { onto, clients } = target(world);
      const { api } = world.cluster.proxies;
      api.setFault(fault, clients);
      return { onto, undo: async () => api.mend() };
    },
  };
}

function everybody(): Target {
  return { onto: "everybody", clients: () => true };
}

/** The clients of the load, the control plane, or one node. */
function somebody({ cluster, random }: World): Target {
  const all = ["load", "control plane", ...cluster.nodeNames];
  const who = between(random, { min: 0, max: 1 }) === 0 ? "load" : pick(random, all);
  const address = cluster.addressOf(who);
  return { onto: who, clients: (other) => other === address };
}
