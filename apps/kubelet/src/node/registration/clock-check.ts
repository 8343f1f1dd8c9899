import { clockSkew, type Logger } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";
import { type EventSink, nodeReference } from "../../model/pod-events.ts";

/** Interval after which the warning is repeated while it applies. */
const repeatMs = 3_600_000;

/**
 * Compares this machine's clock with the API server's, whenever the server answers. The kubelet's
 * decisions do not depend on the server's clock, because the observer of a node measures the node's
 * silence itself. But certificates and tokens depend on time, and wrong times in Events and
 * statuses mislead.
 */
export class ClockCheck {
  readonly #deps: { clock: Clock; log: Logger; events: EventSink };
  readonly #nodeName: string;
  #saidMs = -Infinity;
  #isFar = false;

  constructor(deps: { clock: Clock; log: Logger; events: EventSink }, { nodeName }: { nodeName: string }) {
    this.#deps = deps;
    this.#nodeName = nodeName;
  }

  /**
   * `date` is the header of an answer that has just arrived; undefined where the answer does not
   * have a time.
   */
  notice(date: string | undefined): void {
    const { clock, log, events } = this.#deps;
    const skew = clockSkew(date, clock.nowMs());
    if (skew === undefined) return;
    const wasFar = this.#isFar;
    this.#isFar = skew.isFar;
    if (!this.#isFar) {
      if (wasFar) log.info("clock matches the API server's clock again");
      return;
    }
    if (wasFar && clock.monotonicMs() - this.#saidMs < repeatMs) return;
    this.#saidMs = clock.monotonicMs();
    const message = `the node's clock is ${skew.words}: certificates and tokens are validated by time, so set it (timedatectl set-ntp true)`;
    log.warn("clock differs from the API server's clock", { apartMs: skew.apartMs });
    events.record(nodeReference(this.#nodeName), { type: "Warning", reason: "ClockSkewed", message });
  }
}
