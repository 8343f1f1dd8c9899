import { runService } from "@kintsugi/daemon";
import { readEtcdFlags, serveHealth } from "./envtest/etcd-health.ts";
import { untilOrphaned } from "./parent-process.ts";

/** The etcd of `kintsugi envtest-assets`. */
void runService({
  name: "etcd",
  isStartedByHand: true,
  configure: readEtcdFlags,
  start: async ({ addresses }) => [
    ...addresses.map((address) => ({
      name: `health at ${address.host}:${address.port}`,
      run: (signal: AbortSignal) => serveHealth(address, signal),
    })),
    { name: "parent process", run: untilOrphaned },
  ],
});
