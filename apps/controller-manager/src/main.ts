import { createPrivateKey } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { Logger } from "@kintsugi/api";
import { type ClusterAccess, createHttpClient, openKubeconfig } from "@kintsugi/client";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { type Authority, openAuthority } from "@kintsugi/pki";
import {
  candidateOf,
  createHealthServer,
  createMetrics,
  followFiles,
  type Loop,
  recordFeatures,
  runService,
  version,
} from "@kintsugi/daemon";
import { createClusterBus } from "@kintsugi/watch-stream";
import { type ControllerManagerConfig, readConfig } from "./config.ts";
import { apiServerNames } from "./controllers/certificates/api-server-names.ts";
import { type ControllerManagerOptions, createControllerManager } from "./factory.ts";

void runService({ name: "controller-manager", configure: readConfig, start });

async function start(config: ControllerManagerConfig, log: Logger): Promise<readonly Loop[]> {
  const [clock, random, metrics] = [systemClock, systemRandom, createMetrics()];
  recordFeatures(metrics, config.features);
  const { access, credentials, followed } = openKubeconfig(config.kubeconfig);
  const client = createHttpClient(
    { clock, random, metrics },
    { ...access, credentials, userAgent: `kintsugi-controller-manager/v${version}` },
  );
  const bus = createClusterBus(
    { clock, log, call: (request) => client.call(request) },
    { service: "controller-manager", ca: access.ca ?? "" },
  );
  const { controllers, leaderElection } = config;
  const manager = createControllerManager(
    { client, changes: bus.changes, clock, random, log, metrics, ...(await readAuthorities(controllers, access)) },
    { ...controllers, leaderElection: candidateOf(leaderElection, random) },
  );
  const informers = () => {
    if (manager.state === "starting") throw new Error("the first lists are not in yet");
  };
  const health = createHealthServer({ clock, log, metrics, checks: { ping: () => {}, informers } }, config.health);
  return [
    health,
    bus,
    followFiles({ clock, log }, followed),
    { name: "controller-manager", run: (signal) => manager.run(signal) },
  ];
}

async function readAuthorities(options: ControllerManagerOptions, { server, ca, serverName }: ClusterAccess) {
  const { rootCaFile, serviceAccountPrivateKeyFile: tokenKeyFile } = options;
  return {
    rootCa: rootCaFile === undefined ? "" : await readFile(rootCaFile, "utf8"),
    signing: await openSigning(options),
    tokenKey: tokenKeyFile === undefined ? undefined : createPrivateKey(await readFile(tokenKeyFile)),
    // A server that is reached without TLS has no names in a certificate.
    ...(ca === undefined ? {} : { apiServerNames: apiServerNames(systemClock, { server, ca, serverName }) }),
  };
}

async function openSigning(options: ControllerManagerOptions): Promise<Authority | undefined> {
  const files = [options.clusterSigningCertFile, options.clusterSigningKeyFile].filter((file) => file !== undefined);
  const [certificate, key] = await Promise.all(files.map((file) => readFile(file, "utf8")));
  if (certificate === undefined || key === undefined) return undefined;
  return openAuthority({ clock: systemClock, random: systemRandom }, { certificate, key });
}
