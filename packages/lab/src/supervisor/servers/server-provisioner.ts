import { mkdir } from "node:fs/promises";
import type { Clock } from "@kintsugi/clock";
import { serverCgroup, serverPaths } from "../../cluster/cluster-paths.ts";
import type { ClusterLayout } from "../../components/components.ts";
import { favourCgroup } from "../../host/cgroups.ts";
import { waitUntilListens } from "../../host/listening.ts";
import { serverAddresses } from "../../network/addresses.ts";
import { applyServer } from "../../network/network.ts";
import { serverPorts } from "../../network/plan-cut.ts";
import type { Provisioner } from "../provisioner.ts";

/** The steps that concern servers, and the API server on the host or on the servers. */
export function createServerProvisioner(
  { clock }: { clock: Clock },
  layout: ClusterLayout,
): Pick<Provisioner, "server" | "etcdServes" | "apiServes"> {
  const addresses = () => layout.spec.servers?.map((server) => serverAddresses(layout.spec, server).address);
  /** Resolves once a program listens on one of the hosts. */
  const firstListens = async (hosts: readonly string[], { port, waitMs }: { port: number; waitMs: number }) => {
    await Promise.race(hosts.map((host) => waitUntilListens(clock, { host, port }, waitMs)));
  };
  return {
    async server(server, { linkUp }) {
      await mkdir(serverPaths(layout.paths, server).etcd, { recursive: true, mode: 0o700 });
      await favourCgroup(serverCgroup(layout.spec, server));
      await applyServer(layout.spec, server, linkUp);
    },
    // A member accepts connections once it has a leader, so such a member proves that a majority
    // exists.
    etcdServes: (waitMs) => firstListens(addresses() ?? [], { port: serverPorts.etcd, waitMs }),
    apiServes: (waitMs) => firstListens(addresses() ?? ["127.0.0.1"], { port: layout.spec.apiPort, waitMs }),
  };
}
