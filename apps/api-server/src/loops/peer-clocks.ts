import { type Lease, type Logger, parseTimestamp } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";

/**
 * A smaller difference is harmless, because a Lease is renewed and inspected every 5 s, and the
 * validity of certificates begins five minutes before they are made.
 */
const apartMaxMs = 60_000;
/** Interval after which the warning is repeated while it applies. */
const repeatMs = 3_600_000;

/** A Lease that another server has renewed since the last check. */
export interface RenewedLease {
  readonly lease: Lease;
  /** The name of the other server. */
  readonly server: string;
}

/**
 * Compares this server's clock with the clocks of the other servers, by the times that they write
 * into their Leases. The server's decisions do not depend on another server's clock, because a
 * Lease is valid while it changes. But certificates, tokens and the times of events depend on
 * clocks.
 */
export class PeerClocks {
  readonly #deps: { clock: Clock; log: Logger };
  /** The time of the last warning, by server. There is at most one entry for each Lease. */
  readonly #warnedMs = new Map<string, number>();

  constructor(deps: { clock: Clock; log: Logger }) {
    this.#deps = deps;
  }

  notice(renewed: readonly RenewedLease[]): void {
    for (const { lease, server } of renewed) {
      const { renewTime } = lease.spec ?? {};
      if (renewTime !== undefined && renewTime !== null) this.#compare(server, parseTimestamp(renewTime));
    }
  }

  /** Forgets servers that have ended. */
  keepOnly(servers: ReadonlySet<string>): void {
    for (const server of this.#warnedMs.keys()) if (!servers.has(server)) this.#warnedMs.delete(server);
  }

  #compare(server: string, theirMs: number): void {
    const { clock, log } = this.#deps;
    const apartMs = clock.nowMs() - theirMs;
    const warnedMs = this.#warnedMs.get(server);
    if (Math.abs(apartMs) <= apartMaxMs) {
      if (this.#warnedMs.delete(server)) log.info("clock matches another server's clock again", { server });
      return;
    }
    if (warnedMs !== undefined && clock.monotonicMs() - warnedMs < repeatMs) return;
    this.#warnedMs.set(server, clock.monotonicMs());
    const seconds = Math.round(Math.abs(apartMs) / 1000);
    const where = apartMs > 0 ? "ahead of" : "behind";
    log.warn("clocks of servers differ", {
      server,
      apartMs,
      because: `this server's clock is ${seconds} s ${where} that of ${server}: certificates and tokens are validated by time, so set the clocks of all servers (timedatectl set-ntp true)`,
    });
  }
}
