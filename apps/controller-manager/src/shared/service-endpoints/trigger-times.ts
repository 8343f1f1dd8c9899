import { findCondition, formatTimestamp, parseTimestamp, type Pod, type Service } from "@kintsugi/api";

interface Known {
  createdMs: number;
  /** The time of each pod's last change to or from Ready. */
  podsMs: ReadonlyMap<string, number>;
}

/**
 * Distinguishes published changes of pods from unpublished changes. The memory is lost at a
 * restart, after which a Service's creation counts.
 */
export class TriggerTimes {
  /** One entry per Service, which is removed with it. */
  readonly #services = new Map<string, Known>();

  /**
   * The first change since the last call, as text for the annotation; undefined without a change.
   */
  next(key: string, service: Service, pods: readonly Pod[]): string | undefined {
    const known = this.#services.get(key);
    const createdMs = timeOf(service.metadata.creationTimestamp);
    const podsMs = new Map(pods.map((pod) => [pod.metadata.name ?? "", changedMs(pod)]));
    this.#services.set(key, { createdMs, podsMs });
    if (known === undefined) return createdMs === 0 ? undefined : formatTimestamp(createdMs);
    const news = [...podsMs].filter(([name, changed]) => changed > (known.podsMs.get(name) ?? 0));
    const times = news.map(([, changed]) => changed);
    if (createdMs > known.createdMs) times.push(createdMs);
    return times.length === 0 ? undefined : formatTimestamp(Math.min(...times));
  }

  forget(key: string): void {
    this.#services.delete(key);
  }
}

function changedMs(pod: Pod): number {
  return timeOf(findCondition(pod.status?.conditions, "Ready")?.lastTransitionTime);
}

function timeOf(timestamp: string | undefined): number {
  return timestamp === undefined ? 0 : parseTimestamp(timestamp);
}
