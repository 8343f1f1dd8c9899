import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "@kintsugi/clock";
import { type BusSeeds, createBusSeeds, natsServerConfig, trustOf } from "@kintsugi/watch-stream";
import { writeWhole } from "../cluster/write-whole.ts";
import { clusterAddresses } from "../network/addresses.ts";
import { identityFiles } from "./cluster-pki.ts";
import { type ClusterLayout, controlPorts } from "./components.ts";

/** Makes the bus's keys, if they are not there yet, and writes nats-server's configuration. */
export async function ensureBusFiles(deps: { clock: Clock }, { spec, paths }: ClusterLayout): Promise<void> {
  const seeds = await ensureSeeds(paths.pki);
  const config = natsServerConfig({
    host: clusterAddresses(spec).gateway,
    port: controlPorts.nats,
    ...identityFiles(paths.pki, "nats"),
    trust: trustOf(seeds, deps.clock.nowMs()),
  });
  await writeWhole(paths.natsConfig, config);
}

/** The account's seed comes last: once it is there, both are. */
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
