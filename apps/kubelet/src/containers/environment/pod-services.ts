import type { Service } from "@kintsugi/api";
import type { Informer } from "@kintsugi/client";
import type { Clock } from "@kintsugi/clock";
import { type BoundPod, isStaticPod } from "../../model/bound-pod.ts";
import { ContainerConfigError } from "./config-error.ts";

/**
 * Longest time that a pod waits for the Services, because a kubelet that has just started reads
 * pods and Services at the same time.
 */
const syncWaitMs = 2000;

export interface PodServicesDeps {
  services: Pick<Informer<Service>, "list" | "synced" | "waitForSync">;
  clock: Clock;
}

/** The Services of the cluster, as pods get them in variables when their containers start. */
export class PodServices {
  readonly #informer: PodServicesDeps["services"];
  readonly #clock: Clock;

  constructor({ services, clock }: PodServicesDeps) {
    this.#informer = services;
    this.#clock = clock;
  }

  /**
   * A static pod does not wait for the API. @throws ContainerConfigError when the Services have not
   * been read yet.
   */
  async of(pod: BoundPod): Promise<readonly Service[]> {
    if (!this.#informer.synced && !isStaticPod(pod)) await this.#wait();
    return this.#informer.list();
  }

  async #wait(): Promise<void> {
    const late = new AbortController();
    const timer = this.#clock.after(syncWaitMs, () => late.abort(new Error("not synced in time")));
    try {
      await this.#informer.waitForSync(late.signal);
    } catch {
      throw new ContainerConfigError("services have not yet been read at least once, cannot construct envvars");
    } finally {
      timer.cancel();
    }
  }
}
