import { createPrivateKey } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { ClusterAccess } from "@kintsugi/client";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { defineProgram } from "@kintsugi/controller/program";
import { FlagError, flagsOf, featureConfig, featureFlags, optionValues, recordFeatures } from "@kintsugi/daemon";
import { type Authority, openAuthority } from "@kintsugi/pki";
import { createClusterBus } from "@kintsugi/watch-stream";
import { controllerOptions, findOptionProblem } from "./controller-options.ts";
import { apiServerNames } from "./controllers/certificates/api-server-names.ts";
import { enabledControllers, enabledControllersFlag } from "./enabled-controllers.ts";
import { type ControllerManagerOptions, createControllerManager } from "./factory.ts";

/**
 * Upstream's controller manager does not read a configuration file, so this kind is Kintsugi's own.
 * Each setting has its flag's name in camelCase. The options of a controller are declared next to
 * the controller.
 */
export const program = defineProgram({
  name: "controller-manager",
  description: "Runs the controllers: node lifecycle, taint eviction, replica sets, garbage collection, namespaces.",
  port: 10257,
  lease: "kube-controller-manager",
  options: { ...featureFlags, ...enabledControllersFlag, ...flagsOf(controllerOptions) },
  read(given) {
    const controllers = optionValues(controllerOptions, given);
    const problem = findOptionProblem(controllers);
    if (problem !== undefined) throw new FlagError(problem);
    enabledControllers(given.controllers);
    return { features: featureConfig(given).features, controllers, enabled: given.controllers };
  },
  bus: createClusterBus,
  async start({ client, access, changes, clock, random, log, metrics, leaderElection, config }) {
    const { features, controllers, enabled } = config;
    recordFeatures(metrics, features);
    const authorities = await readAuthorities(controllers, access);
    const manager = createControllerManager(
      { client, changes, clock, random, log, metrics, ...authorities },
      { ...controllers, controllers: enabled, leaderElection },
    );
    const informers = () => {
      if (manager.state === "starting") throw new Error("the first lists have not arrived yet");
    };
    return { name: "controller-manager", run: (signal) => manager.run(signal), checks: { informers } };
  },
});

async function readAuthorities(options: ControllerManagerOptions, { server, ca, serverName }: ClusterAccess) {
  const { rootCaFile, serviceAccountPrivateKeyFile: tokenKeyFile } = options;
  return {
    rootCa: rootCaFile === undefined ? "" : await readFile(rootCaFile, "utf8"),
    signing: await openSigning(options),
    tokenKey: tokenKeyFile === undefined ? undefined : createPrivateKey(await readFile(tokenKeyFile)),
    // A server without TLS has no names in a certificate.
    ...(ca === undefined ? {} : { apiServerNames: apiServerNames(systemClock, { server, ca, serverName }) }),
  };
}

async function openSigning(options: ControllerManagerOptions): Promise<Authority | undefined> {
  const files = [options.clusterSigningCertFile, options.clusterSigningKeyFile].filter((file) => file !== undefined);
  const [certificate, key] = await Promise.all(files.map((file) => readFile(file, "utf8")));
  if (certificate === undefined || key === undefined) return undefined;
  return openAuthority({ clock: systemClock, random: systemRandom }, { certificate, key });
}
