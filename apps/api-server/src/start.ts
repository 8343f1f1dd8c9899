import { createPrivateKey } from "node:crypto";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Logger } from "@kintsugi/api";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { followFiles, followServerTls, type Loop, type MetricsRegistry, readServerTls } from "@kintsugi/daemon";
import { createCertificateMetrics } from "./authentication/certificate-metrics.ts";
import { LevelStore } from "@kintsugi/store";
import type { ApiServerConfig } from "./config.ts";
import { createApiServer } from "./factory.ts";
import type { TokenOptions } from "./service-accounts/service-account-tokens.ts";
import type { KubeletDialer } from "./subresources/kubelet-dialer.ts";
import { createKubeletTlsDialer } from "./subresources/kubelet-tls-dialer.ts";
import { type BusConnection, openBus } from "./bus/open-bus.ts";
import { createFileTimelineLog } from "./timeline/file-timeline-log.ts";
import { listenTls, type TlsServer } from "./http/tls-server.ts";

/** Builds the real adapters around the server and gives what has to run. */
export async function startApiServer(
  config: ApiServerConfig,
  deps: { log: Logger; metrics: MetricsRegistry },
): Promise<readonly Loop[]> {
  const { log, metrics } = deps;
  const files = { certFile: config.tlsCertFile, keyFile: config.tlsPrivateKeyFile, clientCaFile: config.clientCaFile };
  const tls = await readServerTls(files);
  const store = await LevelStore.open({
    directory: config.dataDir,
    clock: systemClock,
    random: systemRandom,
    log,
    windowEventsMaxByResource: { "coordination.k8s.io/leases": leaseEventsMax },
  });
  const serviceAccountTokens = await openTokens(config);
  const kubelets = await openKubeletDialer(config, log);
  const bus: BusConnection | undefined = await openBus(config, { log, historyId: store.historyId });
  const server = createApiServer(
    {
      store,
      clock: systemClock,
      random: systemRandom,
      log,
      metrics,
      exposition: metrics,
      storageBytes: () => directoryBytes(config.dataDir),
      timelineLog: createFileTimelineLog(join(config.dataDir, "timeline.jsonl")),
      ...(serviceAccountTokens === undefined ? {} : { serviceAccountTokens }),
      ...(kubelets === undefined ? {} : { kubeletDialer: kubelets.dialer }),
      ...(bus === undefined ? {} : { changePublisher: bus.publisher, busCredentials: bus.issuer }),
    },
    config,
  );
  const listeners: TlsServer[] = [];
  const certificateSeen = createCertificateMetrics(metrics);
  return [
    ...(bus === undefined ? [] : [bus]),
    ...(kubelets === undefined ? [] : [kubelets.follow]),
    followServerTls({ clock: systemClock, log }, { files, initial: tls, servers: () => listeners }),
    {
      name: "api-server",
      run: async (signal) => {
        try {
          for (const bindAddress of config.bindAddresses) {
            listeners.push(
              await listenTls(
                { handle: server.handle, clock: systemClock, log, certificateSeen },
                { bindAddress, port: config.securePort, tls },
              ),
            );
          }
          await server.run(signal);
        } finally {
          await Promise.all(listeners.map((listener) => listener[Symbol.asyncDispose]()));
          await store.close();
        }
      },
    },
  ];
}

/** A file that LevelDB has just removed takes nothing any more. */
async function directoryBytes(directory: string): Promise<number> {
  const files = await readdir(directory, { recursive: true });
  const sizes = await Promise.all(
    files.map((file) =>
      stat(join(directory, file)).then(
        (entry) => (entry.isFile() ? entry.blocks * 512 : 0),
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

async function openTokens({ serviceAccounts }: ApiServerConfig): Promise<TokenOptions | undefined> {
  if (serviceAccounts === undefined) return undefined;
  const { signingKeyFile, issuer, audiences } = serviceAccounts;
  return { signingKey: createPrivateKey(await readFile(signingKeyFile)), issuer, audiences };
}

/** Reaches kubelets with a certificate that is read again when its file changes. */
async function openKubeletDialer(
  config: ApiServerConfig,
  log: Logger,
): Promise<{ dialer: KubeletDialer; follow: Loop } | undefined> {
  if (config.kubelet === undefined) return undefined;
  const { certFile, keyFile, caFile } = config.kubelet;
  const read = () => readServerTls({ certFile, keyFile, clientCaFile: caFile });
  const initial = await read();
  let credentials = initial;
  const follow = followFiles(
    { clock: systemClock, log },
    {
      what: "kubelet client certificate",
      files: [certFile, keyFile, caFile],
      initial,
      read,
      apply: (next) => (credentials = next),
    },
  );
  return {
    dialer: createKubeletTlsDialer({ credentials: () => credentials, ownAddresses: config.bindAddresses }),
    follow,
  };
}

/** Leases change all the time and nobody reads their past. */
const leaseEventsMax = 1000;
