import { createPrivateKey } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Logger } from "@kintsugi/api";
import { systemClock, systemRandom } from "@kintsugi/clock";
import type { Loop, MetricsRegistry } from "@kintsugi/daemon";
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
  const [key, cert, clientCa] = await Promise.all(
    [config.tlsPrivateKeyFile, config.tlsCertFile, config.clientCaFile].map((file) => readFile(file)),
  );
  if (key === undefined || cert === undefined || clientCa === undefined) throw new Error("a TLS file is missing");
  const store = await LevelStore.open({
    directory: config.dataDir,
    clock: systemClock,
    random: systemRandom,
    log,
    windowEventsMaxByResource: { "coordination.k8s.io/leases": leaseEventsMax },
  });
  const serviceAccountTokens = await openTokens(config);
  const kubeletDialer = await openKubeletDialer(config);
  const bus: BusConnection | undefined = await openBus(config, { log, historyId: store.historyId });
  const server = createApiServer(
    {
      store,
      clock: systemClock,
      random: systemRandom,
      log,
      metrics,
      exposition: metrics,
      timelineLog: createFileTimelineLog(join(config.dataDir, "timeline.jsonl")),
      ...(serviceAccountTokens === undefined ? {} : { serviceAccountTokens }),
      ...(kubeletDialer === undefined ? {} : { kubeletDialer }),
      ...(bus === undefined ? {} : { changePublisher: bus.publisher, busCredentials: bus.issuer }),
    },
    config,
  );
  return [
    ...(bus === undefined ? [] : [bus]),
    {
      name: "api-server",
      run: async (signal) => {
        const listeners: TlsServer[] = [];
        try {
          for (const bindAddress of config.bindAddresses) {
            listeners.push(
              await listenTls(
                { handle: server.handle, clock: systemClock, log },
                { bindAddress, port: config.securePort, key, cert, clientCa },
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

async function openTokens({ serviceAccounts }: ApiServerConfig): Promise<TokenOptions | undefined> {
  if (serviceAccounts === undefined) return undefined;
  const { signingKeyFile, issuer, audiences } = serviceAccounts;
  return { signingKey: createPrivateKey(await readFile(signingKeyFile)), issuer, audiences };
}

async function openKubeletDialer(config: ApiServerConfig): Promise<KubeletDialer | undefined> {
  if (config.kubelet === undefined) return undefined;
  const { certFile, keyFile, caFile } = config.kubelet;
  const [cert, key, ca] = await Promise.all([readFile(certFile), readFile(keyFile), readFile(caFile)]);
  return createKubeletTlsDialer({ cert, key, ca, ownAddresses: config.bindAddresses });
}

/** Leases change all the time and nobody reads their past. */
const leaseEventsMax = 1000;
