import type { Pod, ReplicaSet } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";
import { isActive } from "../reading.ts";

/** A wish that was taken back this recently may still be acted on: the doorbell's next mark may be needed to hear of it. */
const wishHoldsMs = 15_000;

interface Wish {
  replicas: number;
  /** When it was replaced by another. */
  untilMs: number;
}

/** S12: no owner's active pods are ever brought above what it asks for. */
export class OwnedCounts {
  readonly #clock: Clock;
  readonly #wishes = new Map<string, Wish[]>();
  readonly #active = new Map<string, Set<string>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  putSet({ metadata, spec }: ReplicaSet): void {
    const wishes = this.#wishes.get(metadata.uid ?? "") ?? [];
    const replicas = spec?.replicas ?? 1;
    const nowMs = this.#clock.monotonicMs();
    if (wishes.at(-1)?.replicas === replicas) return;
    for (const wish of wishes) wish.untilMs = Math.min(wish.untilMs, nowMs);
    wishes.push({ replicas, untilMs: Infinity });
    this.#wishes.set(
      metadata.uid ?? "",
      wishes.filter(({ untilMs }) => untilMs + wishHoldsMs >= nowMs),
    );
  }

  /** @returns what is wrong, if this pod has made its owner's pods too many. */
  putPod(pod: Pod): string | undefined {
    const owner = ownerOf(pod);
    if (owner === undefined) return undefined;
    if (!isActive(pod)) {
      this.removePod(pod);
      return undefined;
    }
    const active = this.#active.get(owner.uid) ?? new Set<string>();
    this.#active.set(owner.uid, active);
    const countBefore = active.size;
    active.add(pod.metadata.uid ?? "");
    if (active.size === countBefore) return undefined;
    const nowMs = this.#clock.monotonicMs();
    const held = (this.#wishes.get(owner.uid) ?? []).filter(({ untilMs }) => untilMs + wishHoldsMs >= nowMs);
    const wanted = Math.max(0, ...held.map(({ replicas }) => replicas));
    return active.size > wanted ? `${owner.name} wants ${wanted} pods and got ${active.size}` : undefined;
  }

  removePod(pod: Pod): void {
    this.#active.get(ownerOf(pod)?.uid ?? "")?.delete(pod.metadata.uid ?? "");
  }
}

function ownerOf({ metadata }: Pod) {
  return metadata.ownerReferences?.find(({ controller }) => controller === true);
}
