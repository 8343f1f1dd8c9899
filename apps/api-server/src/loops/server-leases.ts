import { createHash } from "node:crypto";
import { formatMicroTime, isApiError, type Lease, leases, hostnameLabel } from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import { decodeEntry } from "../resources/encoding.ts";
import { storePrefix } from "../resources/keys.ts";
import type { AdvertisedAddress } from "../server-options.ts";
import type { ServerContext } from "../server-context.ts";
import { PeerClocks } from "./peer-clocks.ts";

export interface ServerLeasesDeps {
  context: Pick<ServerContext, "store" | "clock" | "log">;
  client: Pick<Client, "find" | "create" | "update" | "delete">;
}

export interface ServerIdentity {
  readonly hostname: string;
  /** Unique to this run of the process. */
  readonly run: string;
  /** Undefined: pods do not reach this server through the Service kubernetes. */
  readonly advertised: AdvertisedAddress | undefined;
}

const namespace = "kube-system";
const identityLabel = "apiserver.kubernetes.io/identity";
/** The address and port at which pods reach the server of a Lease. */
const advertisedAnnotation = "kintsugi.dev/advertised-address";
const renewIntervalMs = 5_000;
/**
 * Time without a change of its Lease after which a server is no longer an endpoint for pods;
 * upstream's value.
 */
const leaseDurationMs = 15_000;
/** Time after which the Lease of an ended server is deleted; upstream's value. */
const deletedAfterMs = 60 * 60_000;
/** Time limit of the deletion of its Lease by a server that ends. */
const releaseTimeoutMs = 2_000;

interface Seen {
  /**
   * The revision of the Lease's last change, and the time on this server's clock at which it
   * observed the change.
   */
  readonly revision: number;
  readonly atMs: number;
}

/**
 * The Leases `apiserver-<hash>` by which API servers that share their objects discover each other,
 * as in upstream (KEP-1965). A Lease is valid while it changes, measured by the clock of the server
 * that reads it.
 */
export class ServerLeases {
  readonly #deps: ServerLeasesDeps;
  readonly #identity: ServerIdentity;
  readonly #name: string;
  /** One entry for each Lease that exists. */
  #seen: ReadonlyMap<string, Seen> = new Map();
  /** The revisions of the other servers' Leases at the last comparison of clocks, by name. */
  #compared: ReadonlyMap<string, number> = new Map();
  readonly #clocks: PeerClocks;

  constructor(deps: ServerLeasesDeps, identity: ServerIdentity) {
    this.#deps = deps;
    this.#identity = identity;
    this.#name = leaseName(identity);
    this.#clocks = new PeerClocks(deps.context);
  }

  /** Renews this server's own Lease until the signal aborts, and then deletes the Lease. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#deps.context;
    for (let complaint = ""; !signal.aborted;) {
      this.#compareClocks();
      try {
        await this.#renew(signal);
        complaint = "";
      } catch (error) {
        const { message } = error as Error;
        if (message !== complaint && !signal.aborted) log.warn("this server's Lease is not renewed", { error });
        complaint = message;
      }
      await clock.sleep(renewIntervalMs, signal).catch(() => {});
    }
    await this.#release();
  }

  /** Compares clocks by the Leases that other servers have renewed since the last call. */
  #compareClocks(): void {
    const before = this.#compared;
    const found = this.#look(this.#deps.context.clock.monotonicMs()).filter(
      ({ lease }) => lease.metadata.name !== this.#name,
    );
    this.#compared = new Map(found.map(({ lease, seen }) => [lease.metadata.name ?? "", seen.revision]));
    this.#clocks.keepOnly(new Set(found.map(({ lease }) => serverOf(lease))));
    this.#clocks.notice(
      found
        .filter(({ lease, seen }) => {
          const known = before.get(lease.metadata.name ?? "");
          // The first observation does not prove that the server is alive, because the Lease may be
          // old.
          return known !== undefined && known !== seen.revision;
        })
        .map(({ lease }) => ({ lease, server: serverOf(lease) })),
    );
  }

  /** Returns the addresses of the servers that are alive, in the order of their Leases' names. */
  advertised(): AdvertisedAddress[] {
    const nowMs = this.#deps.context.clock.monotonicMs();
    return this.#look(nowMs).flatMap(({ lease, seen }) => {
      const address = parseAdvertised(lease.metadata.annotations?.[advertisedAnnotation] ?? "");
      return address !== undefined && nowMs - seen.atMs <= leaseDurationMs ? [address] : [];
    });
  }

  /** Deletes the Leases of servers that ended long ago. */
  async deleteAbandoned(): Promise<void> {
    const nowMs = this.#deps.context.clock.monotonicMs();
    for (const { lease, seen } of this.#look(nowMs)) {
      if (nowMs - seen.atMs <= deletedAfterMs) continue;
      const { name, resourceVersion } = lease.metadata;
      const preconditions = resourceVersion === undefined ? {} : { preconditions: { resourceVersion } };
      await this.#deps.client.delete(leases, { namespace, name: name ?? "" }, preconditions).catch((error: unknown) => {
        if (!isApiError(error, "NotFound", "Conflict"))
          this.#deps.context.log.warn("cannot delete the Lease of a stopped server", { lease: name, error });
      });
    }
  }

  #look(nowMs: number): { lease: Lease; seen: Seen }[] {
    const { entries } = this.#deps.context.store.list(storePrefix(leases, namespace));
    const found = entries
      .filter(({ index }) => index.labels?.[identityLabel] !== undefined)
      .map((entry) => {
        const before = this.#seen.get(entry.key);
        const seen = before?.revision === entry.revision ? before : { revision: entry.revision, atMs: nowMs };
        return { key: entry.key, lease: decodeEntry(entry) as unknown as Lease, seen };
      });
    this.#seen = new Map(found.map(({ key, seen }) => [key, seen]));
    return found;
  }

  async #renew(signal: AbortSignal): Promise<void> {
    const { client } = this.#deps;
    const key = { namespace, name: this.#name };
    const current = await client.find(leases, key, { signal });
    const wanted = this.#lease();
    if (current === undefined) await client.create(leases, wanted, { signal });
    else {
      const { resourceVersion, uid } = current.metadata;
      const kept = {
        ...(resourceVersion === undefined ? {} : { resourceVersion }),
        ...(uid === undefined ? {} : { uid }),
      };
      await client.update(leases, { ...wanted, metadata: { ...wanted.metadata, ...kept } }, { signal });
    }
  }

  #lease(): Lease {
    const { hostname, run, advertised } = this.#identity;
    return {
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: {
        namespace,
        name: this.#name,
        labels: { [identityLabel]: "kube-apiserver", [hostnameLabel]: hostname },
        ...(advertised === undefined
          ? {}
          : { annotations: { [advertisedAnnotation]: `${advertised.address}:${advertised.port}` } }),
      },
      spec: {
        holderIdentity: `${this.#name}_${run}`,
        leaseDurationSeconds: leaseDurationMs / 1000,
        renewTime: formatMicroTime(this.#deps.context.clock.nowMs()),
      },
    };
  }

  async #release(): Promise<void> {
    const { client, context } = this.#deps;
    const stop = new AbortController();
    const timer = context.clock.after(releaseTimeoutMs, () => stop.abort(new Error("the server exits")));
    try {
      await client.delete(leases, { namespace, name: this.#name }, { signal: stop.signal });
    } catch (error) {
      // The Lease expires even if it is not deleted.
      context.log.warn("cannot delete this server's Lease", { error });
    } finally {
      timer.cancel();
    }
  }
}

function serverOf({ metadata: { labels, name = "" } }: Lease): string {
  return labels?.[hostnameLabel] ?? name;
}

/** Upstream's form of the host's name; servers of one host differ by their address. */
function leaseName({ hostname, advertised }: ServerIdentity): string {
  const text = advertised === undefined ? hostname : `${hostname}/${advertised.address}:${advertised.port}`;
  const bytes = createHash("sha256").update(text).digest().subarray(0, 16);
  return `apiserver-${base32(bytes)}`;
}

const letters = "abcdefghijklmnopqrstuvwxyz234567";

function base32(bytes: Uint8Array): string {
  let bits = "";
  for (const byte of bytes) bits += byte.toString(2).padStart(8, "0");
  return (bits.match(/.{1,5}/g) ?? []).map((five) => letters[Number.parseInt(five.padEnd(5, "0"), 2)]).join("");
}

function parseAdvertised(text: string): AdvertisedAddress | undefined {
  const [, address, port] = /^(\d{1,3}(?:\.\d{1,3}){3}):(\d{1,5})$/.exec(text) ?? [];
  return address === undefined ? undefined : { address, port: Number(port) };
}
