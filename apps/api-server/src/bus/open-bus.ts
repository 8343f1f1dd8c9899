import { readFile } from "node:fs/promises";
import { badRequest, forbidden, type Logger } from "@kintsugi/api";
import { systemClock } from "@kintsugi/clock";
import type { Loop } from "@kintsugi/daemon";
import { type ChangePublisher, createBusAuthority, createChangePublisher, NatsBus } from "@kintsugi/watch-stream";
import type { BusCredentialIssuer } from "./bus-credentials-route.ts";

/**
 * The API server's side of the bus. Only the API server publishes, and it signs the subscriptions
 * of other clients.
 */
export interface BusConnection extends Loop {
  readonly publisher: ChangePublisher;
  readonly issuer: BusCredentialIssuer;
}

/** The address of the bus, and the seed with which this server signs credentials for it. */
export interface BusConfig {
  servers: readonly string[];
  caFile: string | undefined;
  accountSeedFile: string;
}

/** The part of the server's configuration that the bus needs. */
interface BusSettings {
  readonly bus: BusConfig | undefined;
  readonly clusterName: string;
  /**
   * The authority that signed the bus's certificate where `bus` does not name another authority.
   */
  readonly clientCaFile: string;
}

/** Undefined when no bus is configured. The bus is not connected before `run`. */
export async function openBus(
  config: BusSettings,
  deps: { log: Logger; historyId: string },
): Promise<BusConnection | undefined> {
  if (config.bus === undefined) return undefined;
  const { servers, accountSeedFile, caFile } = config.bus;
  const cluster = config.clusterName;
  const [seed, ca] = await Promise.all([
    readFile(accountSeedFile, "utf8"),
    readFile(caFile ?? config.clientCaFile, "utf8"),
  ]);
  const authority = createBusAuthority({ clock: systemClock }, { accountSeed: seed.trim(), cluster });
  const credentials = async (publicKey: string) => ({ servers, cluster, jwt: authority.issuePublisher(publicKey) });
  const bus = new NatsBus({ clock: systemClock, log: deps.log, credentials }, { name: "api-server", ca });
  return {
    name: "bus",
    run: (signal) => bus.run(signal),
    publisher: createChangePublisher({ bus }, { cluster, historyId: deps.historyId }),
    issuer: {
      async issue(caller, publicKey) {
        const issued = authority.issue(caller, publicKey);
        if ("jwt" in issued) return { jwt: issued.jwt, servers, cluster };
        if (issued.refused === "badKey") throw badRequest("spec.publicKey is not the public key of a NATS user");
        throw forbidden(busResource, "", `user ${JSON.stringify(caller.name)} has no permissions on the bus`);
      },
    },
  };
}

const busResource = { group: "kintsugi.dev", resource: "buscredentials" };
