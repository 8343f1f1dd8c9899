import { untilAborted, systemClock, systemRandom } from "@kintsugi/clock";
import { runService } from "@kintsugi/daemon";
import { envtestEnvironment } from "./config.ts";
import { readGivenCredentials } from "./envtest/given-credentials.ts";
import { readKubeApiserverFlags } from "./envtest/kube-apiserver-flags.ts";
import { untilOrphaned } from "./parent-process.ts";
import { startServedCluster } from "./served-cluster.ts";

/** The kube-apiserver of `kintsugi envtest-assets`. */
void runService({
  name: "kube-apiserver",
  umask: 0o077,
  isStartedByHand: true,
  configure: (argv) => readKubeApiserverFlags(argv, envtestEnvironment()),
  start: async ({ files, withoutEffect, ...options }, log) => {
    if (withoutEffect.length > 0)
      process.stderr.write(`kube-apiserver: flags without effect here: ${withoutEffect.join(" ")}\n`);
    const given = await readGivenCredentials(files);
    const server = await startServedCluster({ clock: systemClock, random: systemRandom, log }, { ...options, given });
    const run = async (signal: AbortSignal) => {
      try {
        await Promise.race([server.nodesReady, server.failed, untilAborted(signal)]);
        await Promise.race([server.failed, untilAborted(signal)]);
      } finally {
        await server[Symbol.asyncDispose]();
      }
    };
    return [
      { name: "cluster", run },
      { name: "parent process", run: untilOrphaned },
    ];
  },
});
