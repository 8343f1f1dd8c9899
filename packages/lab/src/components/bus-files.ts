import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "@kintsugi/clock";
import { type BusSeeds, createBusSeeds, natsServerConfig, trustOf } from "@kintsugi/watch-stream";
import { writeWhole } from "@kintsugi/daemon";
import { serverPaths } from "../cluster/cluster-paths.ts";
import { clusterAddresses, serverAddresses } from "../network/addresses.ts";
import { serverPorts } from "../network/plan-cut.ts";
import { identityFiles } from "./identity-files.ts";
import { natsRouteFiles } from "./server-pki.ts";
import { type ClusterLayout, controlPorts } from "./components.ts";

/** Creates the bus's keys, if they do not exist yet, and writes nats-server's configuration. */
export async function ensureBusFiles(deps: { clock: Clock }, layout: ClusterLayout): Promise<void> {
  const { spec, paths } = layout;
  const trust = trustOf(await ensureSeeds(paths.pki), deps.clock.nowMs());
  const { servers } = spec;
  if (servers === undefined) {
    const host = clusterAddresses(spec).gateway;
    const files = identityFiles(paths.pki, "nats");
    await writeWhole(paths.natsConfig, natsServerConfig({ host, port: controlPorts.nats, ...files, trust }));
    return;
  }
  for (const server of servers) {
    const host = serverAddresses(spec, server).address;
    const routes = servers
      .filter(({ name }) => name !== server.name)
      .map((other) => `tls://${serverAddresses(spec, other).address}:${serverPorts.natsRoute}`);
    const config = natsServerConfig({
      host,
      port: controlPorts.nats,
      ...identityFiles(paths.pki, `nats-${server.index}`),
      trust,
      routing: {
        cluster: spec.name,
        server: server.name,
        port: serverPorts.natsRoute,
        routes,
        ...natsRouteFiles(paths.pki, server),
      },
    });
    await writeWhole(serverPaths(paths, server).natsConfig, config);
  }
}

/** The account's seed is written last, so that both seeds exist once this file exists. */
export async function ensureSeeds(directory: string): Promise<BusSeeds> {
  const [operatorFile, accountFile] = [join(directory, "nats-operator.seed"), busAccountSeedFile(directory)];
  if (existsSync(accountFile)) {
    const [operatorSeed, accountSeed] = await Promise.all([
      readFile(operatorFile, "utf8"),
      readFile(accountFile, "utf8"),
    ]);
    return { operatorSeed, accountSeed };
  }
  const seeds = createBusSeeds();
  await writeWhole(operatorFile, seeds.operatorSeed);
  await writeWhole(accountFile, seeds.accountSeed);
  return seeds;
}

function busAccountSeedFile(pkiDirectory: string): string {
  return join(pkiDirectory, "nats-account.seed");
}
