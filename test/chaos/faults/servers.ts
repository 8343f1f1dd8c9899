import {
  etcdClientFiles,
  findServer,
  readIdentityFiles,
  type ServerAction,
  serverAddresses,
  serverPorts,
} from "@kintsugi/lab";
import { fetchAs } from "../../support/fetch-as.ts";
import { clockOf } from "./clocks.ts";
import { type Duration, type Fault, type Injected, pick, type World } from "./fault.ts";
import { killFault } from "./kills.ts";
import { pauseFault } from "./pauses.ts";

const away: Duration = { min: 3_000, max: 20_000 };

/** The faults of a control plane of several machines, which must not affect pods. */
export const serverFaults: readonly Fault[] = [
  serversFault("a server dies and returns", async (world) => [aServer(world)], ["kill", "return"]),
  serversFault("the server of etcd's leader dies and returns", async (world) => [await etcdLeader(world)], [
    "kill",
    "return",
  ]),
  serversFault("all servers but one die and return", async (world) => allButOne(world), ["kill", "return"]),
  serversFault("a server's cable is cut", async (world) => [aServer(world)], ["partition", "heal"]),
  serversFault("a server is cut off from etcd", async (world) => [aServer(world)], ["partition-etcd", "heal"]),
  serversFault("a server is cut off from NATS", async (world) => [aServer(world)], ["partition-nats", "heal"]),
  serversFault("a server is cut off from the others", async (world) => [aServer(world)], ["partition-servers", "heal"]),
  ...["api-server", "etcd", "nats", "scheduler", "controller-manager"].flatMap((program) => [
    killOne(program),
    pauseOne(program),
  ]),
  killFault(
    { name: "the process of etcd's leader is killed", family: "server", keeps: "pods" },
    async (world) => `etcd@${await etcdLeader(world)}`,
  ),
  clockOf("the clock of one of the API servers jumps", (world) => `api-server@${aServer(world)}`),
];

function serversFault(
  name: string,
  victims: (world: World) => Promise<readonly string[]>,
  [begin, end]: readonly [ServerAction, ServerAction],
): Fault {
  return {
    name,
    family: "server",
    lastsMs: away,
    // One such fault leaves a majority, but two such faults do not.
    alone: true,
    keeps: "pods",
    async inject(world): Promise<Injected> {
      const { cluster } = world;
      const servers = await victims(world);
      for (const server of servers) await cluster.actOnServer(server, begin);
      const undo = async () => {
        for (const server of servers) await cluster.actOnServer(server, end);
      };
      return { onto: servers.join(" and "), undo };
    },
  };
}

function killOne(program: string): Fault {
  const name = `one ${program} of several is killed`;
  return killFault({ name, family: "server", keeps: "pods" }, (world) => `${program}@${aServer(world)}`);
}

function pauseOne(program: string): Fault {
  const name = `one ${program} of several stands still`;
  const lastsMs = { min: 5_000, max: 30_000 };
  return pauseFault({ name, family: "server", keeps: "pods", lastsMs }, (world) => `${program}@${aServer(world)}`);
}

function aServer({ cluster, random }: World): string {
  return pick(random, cluster.serverNames);
}

function allButOne(world: World): string[] {
  const left = aServer(world);
  return world.cluster.serverNames.filter((name) => name !== left);
}

/** @throws Error when no member leads. */
async function etcdLeader({ cluster }: World): Promise<string> {
  const { spec, paths } = cluster.known;
  const identity = await readIdentityFiles(etcdClientFiles(paths.pki));
  for (const name of cluster.serverNames) {
    const { address } = serverAddresses(spec, findServer(spec, name));
    const metrics = await fetchAs(identity, `https://${address}:${serverPorts.etcd}/metrics`);
    if (/^etcd_server_is_leader 1$/m.test(metrics)) return name;
  }
  throw new Error("no member of etcd leads");
}
