import { type ApiObject, isPodActive, isPodReady, type Pod } from "@kintsugi/api";
import type { Informer } from "@kintsugi/client";
import { systemClock } from "@kintsugi/clock";
import { type ClusterPicture, downtimeWithin, WorkloadAvailability } from "@kintsugi/rehearsal";

/** The measures of one workload, as observed by a client of the real cluster. */
export interface MeasuredWorkload {
  readonly workload: string;
  readonly downtimeMs: number;
  readonly degradedMs: number;
  readonly isDownAtEnd: boolean;
  readonly isDegradedAtEnd: boolean;
}

/** Watches real pods through one fault, with the same definitions as a rehearsal. */
export class MeasuredRun {
  readonly #availability: WorkloadAvailability;
  readonly #lost = new Set<string>();
  readonly #beganMs = systemClock.monotonicMs();
  readonly #before: ReadonlyMap<object, number>;
  readonly #stop: () => void;
  #changedMs = 0;

  constructor(picture: ClusterPicture, informer: Informer<Pod>) {
    const serves = (name: string) => name !== "" && !this.#lost.has(name);
    this.#availability = new WorkloadAvailability({ serves }, picture.objects);
    for (const pod of informer.list()) this.#observe(pod, 0);
    this.#availability.begin();
    this.#before = new Map(
      this.#availability.workloads().map((tracked) => [tracked, this.#availability.availableOf(tracked)]),
    );
    this.#stop = informer.onChange(({ type, object }) => {
      this.#changedMs = this.#atMs();
      if (type === "deleted") this.#availability.observe(keyOf(object), undefined, this.#atMs());
      else this.#observe(object, this.#atMs());
    });
  }

  /** Clients can no longer reach the containers of these nodes, or can again. */
  nodes(names: readonly string[], turn: "lost" | "back"): void {
    for (const name of names) {
      if (turn === "lost") this.#lost.add(name);
      else this.#lost.delete(name);
    }
    this.#availability.observeNodes(new Set(names), this.#atMs());
  }

  /** Resolves when every workload has recovered, or nothing has changed for long. */
  async untilRest({
    atLeastMs,
    quietMs,
    mostMs,
  }: {
    atLeastMs: number;
    quietMs: number;
    mostMs: number;
  }): Promise<void> {
    for (;;) {
      await systemClock.sleep(250);
      const atMs = this.#atMs();
      if (atMs >= mostMs) return;
      if (atMs < atLeastMs) continue;
      const isWhole = this.#availability
        .workloads()
        .every((tracked) => this.#availability.availableOf(tracked) >= (this.#before.get(tracked) ?? 0));
      if (isWhole || atMs - this.#changedMs >= quietMs) return;
    }
  }

  end(): MeasuredWorkload[] {
    this.#stop();
    const endMs = this.#atMs();
    return this.#availability.workloads().flatMap((tracked) => {
      const before = this.#before.get(tracked) ?? 0;
      if (before === 0) return [];
      const span = downtimeWithin(tracked.samples, { endMs, before, minAvailable: 0 });
      const { downtimeMs, degradedMs, isDownAtEnd, isDegradedAtEnd } = span;
      return [{ workload: tracked.workload.name, downtimeMs, degradedMs, isDownAtEnd, isDegradedAtEnd }];
    });
  }

  #observe(pod: Pod, atMs: number): void {
    this.#availability.observe(keyOf(pod), pod, atMs);
  }

  #atMs(): number {
    return Math.round(systemClock.monotonicMs() - this.#beganMs);
  }
}

/** Every desired pod is Ready, and other pods do not exist. */
export function isWhole(informer: Informer<Pod>, wanted: number): boolean {
  const all = informer.list();
  return all.length === wanted && all.every((pod) => isPodActive(pod) && isPodReady(pod));
}

function keyOf({ metadata }: ApiObject): string {
  return `${metadata.namespace}/${metadata.name}`;
}
