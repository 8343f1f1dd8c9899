import type { Logger } from "@kintsugi/api";
import { onAbort, systemClock, systemRandom } from "@kintsugi/clock";
import { defineService, type Loop } from "@kintsugi/daemon";
import { publishKubeconfig } from "./access/published-kubeconfig.ts";
import { options, readOptions, type TestServerConfig } from "./config.ts";
import { untilParentEnds } from "./parent-process.ts";
import { report } from "./report.ts";
import { assertRoomOnDisk } from "./room-on-disk.ts";
import { startServedCluster } from "./served-cluster.ts";

export const program = defineService({
  name: "test-server",
  command: "kintsugi test-server",
  description:
    "Runs a whole cluster in one process, without root and without containers: the API server, the scheduler, the controllers and nodes whose containers do not exist.",
  umask: 0o077,
  isStartedByHand: true,
  options,
  read: readOptions,
  start,
});

async function start(config: TestServerConfig, log: Logger): Promise<readonly Loop[]> {
  if (config.dataDirectory !== undefined) await assertRoomOnDisk(config.dataDirectory);
  const server = await startServedCluster({ clock: systemClock, random: systemRandom, log }, config);
  const { kubeconfig, contextName, json, withParent, environment } = config;
  const published = await publishKubeconfig({ clock: systemClock }, server, {
    kubeconfig,
    contextName,
    isPrivate: json,
    environment,
  });
  const say = (line: string) => void process.stdout.write(`${line}\n`);
  const run = async (signal: AbortSignal) => {
    const aborted = new Promise<void>((resolve) => onAbort(signal, resolve));
    try {
      await Promise.race([server.nodesReady, server.failed, aborted]);
      if (!signal.aborted) say(report({ server, published, config, pid: process.pid }));
      await Promise.race([aborted, server.failed]);
    } finally {
      await published.remove();
      await server[Symbol.asyncDispose]();
      if (json) say(JSON.stringify({ type: "ended" }));
    }
  };
  const parent: Loop = { name: "parent process", run: (signal) => untilParentEnds(signal) };
  return [{ name: "test server", run }, ...(withParent ? [parent] : [])];
}
