import { readFile } from "node:fs/promises";
import { hostname } from "node:os";
import type { Logger } from "@kintsugi/api";
import { createHttpClient, openKubeconfig } from "@kintsugi/client";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { openAuthority } from "@kintsugi/pki";
import { createHealthServer, createMetrics, followFiles, type Loop, runService } from "@kintsugi/daemon";
import { createClusterBus } from "@kintsugi/watch-stream";
import type { SigningOptions } from "./controllers/certificates/controller.ts";
import { type ControllerManagerConfig, readConfig } from "./config.ts";
import { createControllerManager } from "./factory.ts";

void runService({ name: "controller-manager", configure: readConfig, start });

async function start(config: ControllerManagerConfig, log: Logger): Promise<readonly Loop[]> {
  const [clock, random, metrics] = [systemClock, systemRandom, createMetrics()];
  const { access, credentials, followed } = openKubeconfig(config.kubeconfig);
  const client = createHttpClient(
    { clock, random, metrics },
    { ...access, credentials, userAgent: "kintsugi-controller-manager/v0.1.0" },
  );
  const bus = createClusterBus(
    { clock, log, call: (request) => client.call(request) },
    { service: "controller-manager", ca: access.ca ?? "" },
  );
  const { controllers, rootCaFile, leaderElection } = config;
  const rootCa = rootCaFile === undefined ? "" : await readFile(rootCaFile, "utf8");
  const identity = `${hostname()}_${random.uuid()}`;
  const manager = createControllerManager(
    { client, changes: bus.changes, clock, random, log, metrics, signing: await openSigning(config.signing) },
    {
      ...controllers,
      rootCa,
      leaderElection: leaderElection === undefined ? undefined : { ...leaderElection, identity },
    },
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

async function openSigning(config: ControllerManagerConfig["signing"]): Promise<SigningOptions | undefined> {
  if (config === undefined) return undefined;
  const [certificate, key] = await Promise.all([config.certFile, config.keyFile].map((file) => readFile(file, "utf8")));
  const deps = { clock: systemClock, random: systemRandom };
  return {
    authority: await openAuthority(deps, { certificate: certificate ?? "", key: key ?? "" }),
    validMs: config.validMs,
  };
}
