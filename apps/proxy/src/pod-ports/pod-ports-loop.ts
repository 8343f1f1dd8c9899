import type { Logger } from "@kintsugi/api";
import { backoffDelayMs, type Clock, Waiter } from "@kintsugi/clock";
import type { Loop } from "@kintsugi/daemon";
import type { Nft } from "../nft/nft.ts";
import type { PortRecords } from "./cni-records.ts";
import { portsIn } from "./pod-port.ts";
import { portScript } from "./port-script.ts";

export interface PodPortsDeps {
  clock: Clock;
  log: Logger;
  nft: Pick<Nft, "apply">;
  records: PortRecords;
  /** Returns the range of this node's pods; undefined before it is known. */
  podCidr(): string | undefined;
}

/** Delay by which records of pods that start together are read together. */
const gatherMs = 10;
/** The range of a new node is known within seconds. */
const unknownPollMs = 250;
/** Interval at which the records are also read without an event, in case an event was lost. */
const resyncMs = 30_000;
/** The interval where the directory cannot be watched. */
const unwatchedPollMs = 1_000;
const backoff = { initialMs: 250, factor: 2, maxMs: 60_000 };

/** Maintains the rules by which the pods of this node can only send from their own addresses. */
export function createPodPortsLoop(deps: PodPortsDeps): Loop {
  const { clock } = deps;
  return {
    name: "pods' ports",
    async run(signal) {
      const waiter = new Waiter();
      const rules = new PortRules(deps);
      let stopWatching: (() => void) | undefined;
      let isStale = false;
      const wake = () => {
        isStale = true;
        waiter.wake();
      };
      try {
        while (!signal.aborted) {
          stopWatching ??= deps.records.watch(wake);
          isStale = false;
          const podCidr = deps.podCidr();
          const ports = podCidr === undefined ? undefined : portsIn(await deps.records.list(), podCidr);
          const waitMs = ports === undefined ? unknownPollMs : await rules.write(portScript(ports), ports.length);
          const pollMs = stopWatching === undefined ? Math.min(waitMs, unwatchedPollMs) : waitMs;
          if (!isStale) await waiter.waitAtMost(pollMs, clock, signal);
          await clock.sleep(gatherMs, signal).catch(() => {});
        }
      } finally {
        stopWatching?.();
      }
    },
  };
}

/** The table in the kernel. Writes it when the rules differ, and periodically as a whole. */
class PortRules {
  readonly #deps: PodPortsDeps;
  #written: string | undefined;
  #writtenAtMs = Number.NEGATIVE_INFINITY;
  #failures = 0;

  constructor(deps: PodPortsDeps) {
    this.#deps = deps;
  }

  /** Returns the time until the next inspection, unless records change before. */
  async write(script: string, ports: number): Promise<number> {
    const { clock, log, nft } = this.#deps;
    const isFresh = clock.monotonicMs() - this.#writtenAtMs < fullSyncMs;
    if (script === this.#written && isFresh) return resyncMs;
    try {
      await nft.apply(script);
    } catch (error) {
      this.#written = undefined;
      // A kernel without the bridge family of rules always rejects these rules.
      if (this.#failures++ === 0)
        log.error("pods can send from addresses of other pods: the bridge's rules cannot be written", { error });
      return backoffDelayMs(this.#failures, backoff);
    }
    if (this.#failures > 0) log.info("pods' ports are guarded again", { ports });
    this.#failures = 0;
    this.#written = script;
    this.#writtenAtMs = clock.monotonicMs();
    return resyncMs;
  }
}

/** Upstream's period of kube-proxy: repairs changes by other programs. */
const fullSyncMs = 3_600_000;
