import cluster from "node:cluster";
import { Socket } from "node:net";
import type { Logger } from "@kintsugi/api";
import { systemClock, untilAborted } from "@kintsugi/clock";
import {
  type DefinedService,
  defineService,
  flag,
  followServerTls,
  readServerTls,
  type ServerTls,
  type ServerTlsFiles,
} from "@kintsugi/daemon";
import { createCertificateMetrics } from "../../authentication/certificate-metrics.ts";
import { ConnectionGuard } from "../connections/connection-guard.ts";
import { connectionLimits } from "../connections/connection-limits.ts";
import { listenTls, type TlsServer } from "../tls-server.ts";
import { askOwner } from "./ask-owner.ts";
import { frameTypes, jsonBytes } from "./frame.ts";
import { Link, linkDescriptor } from "./link.ts";
import type { OwnerMessage, WorkerMessage } from "./messages.ts";
import { relayMetrics } from "./relayed-metrics.ts";

/** The API server passes these flags; a user never does. */
const options = {
  "bind-address": flag.list({ help: "Addresses to serve on", required: true }),
  "secure-port": flag.port({ help: "Port to serve on", required: true }),
  "tls-cert-file": flag.path({ help: "Server certificate, PEM", required: true }),
  "tls-private-key-file": flag.path({ help: "Private key of the certificate, PEM", required: true }),
  "client-ca-file": flag.path({ help: "Certificate authority of the clients, PEM", required: true }),
  "http2-max-streams-per-connection": flag.count({
    help: "Concurrent requests of one HTTP/2 connection; 0 means the default of 100",
    fallback: 0,
  }),
  "connections-max": flag.count({ min: 1, help: "Concurrent connections of all workers together", required: true }),
  workers: flag.count({ min: 1, help: "Number of workers, which divide the connections evenly", required: true }),
};

/** A process that receives requests over TLS, and passes them to the API server that started it. */
export const workerProgram: DefinedService<object> = defineService({
  name: "api-server-http-worker",
  description: "Receives requests over TLS for the API server that starts it (--http-workers).",
  umask: 0o077,
  ignoresSignals: true,
  options,
  read: (given) => given,
  async start(given, log) {
    // A message to an owner that has just ended fails; the link's end follows.
    cluster.worker?.on("error", () => {});
    const link = new Link(new Socket({ fd: linkDescriptor, readable: true, writable: true }));
    const metrics = relayMetrics({
      clock: systemClock,
      send: (measurements) => link.send(frameTypes.measurements, 0, jsonBytes(measurements)),
    });
    const files = {
      certFile: given["tls-cert-file"],
      keyFile: given["tls-private-key-file"],
      clientCaFile: given["client-ca-file"],
    };
    const tls = await readUsableTls(files, log);
    const deps = {
      handle: askOwner({ link, clock: systemClock }),
      clock: systemClock,
      log,
      certificateSeen: createCertificateMetrics(metrics),
      guard: new ConnectionGuard(
        { clock: systemClock, metrics },
        connectionLimits({ connectionsMax: given["connections-max"], processes: given.workers }),
      ),
    };
    const listeners: TlsServer[] = [];
    const follow = followServerTls({ clock: systemClock, log }, { files, initial: tls, servers: () => listeners });
    return [
      follow,
      {
        name: "http-worker",
        async run(signal) {
          try {
            for (const bindAddress of given["bind-address"])
              listeners.push(
                await listenTls(deps, {
                  bindAddress,
                  port: given["secure-port"],
                  tls,
                  streamsPerConnectionMax: given["http2-max-streams-per-connection"] || undefined,
                }),
              );
            tell({ listening: listeners.map(({ port }) => port) });
            // The worker ends with its API server, which ends its workers by closing the link.
            await Promise.race([link.closed, untilAborted(signal)]);
          } finally {
            link.close();
            await Promise.all(listeners.map((listener) => listener[Symbol.asyncDispose]()));
          }
        },
      },
    ];
  },
});

function tell(message: WorkerMessage): void {
  process.send?.(message);
}

/**
 * A worker that replaces another worker may find files that are half written. It uses the owner's
 * certificate until the files are usable, as the other workers do.
 */
async function readUsableTls(files: ServerTlsFiles, log: Logger): Promise<ServerTls> {
  try {
    return await readServerTls(files);
  } catch (error) {
    log.warn("files cannot be used, the server's previous files are used", { files, error });
    return new Promise((resolve) => {
      process.once("message", ({ tls }: OwnerMessage) => resolve(tls));
      tell({ lacksTls: true });
    });
  }
}
