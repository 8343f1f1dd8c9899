import { controllerOf, isPodBound, type Pod, pods } from "@kintsugi/api";
import type { StartState } from "@kintsugi/rehearsal";

/** The committed pods, by their nodes. */
export class LivePods {
  readonly #byKey = new Map<string, Pod>();
  readonly #byNode = new Map<string, Map<string, Pod>>();
  readonly #madeBy = new Map<string, number>();
  #made = 0;

  /** The number of pods that were created since the start. */
  get made(): number {
    return this.#made;
  }

  /** The owner that has created most pods, as "shop/replicaset/web". */
  get mostMadeBy(): { owner: string; made: number } {
    const [owner = "", made = 0] = [...this.#madeBy].toSorted(([, a], [, b]) => b - a)[0] ?? [];
    return { owner, made };
  }

  all(): Iterable<Pod> {
    return this.#byKey.values();
  }

  on(nodeName: string): readonly Pod[] {
    return [...(this.#byNode.get(nodeName)?.values() ?? [])];
  }

  /** Replaces the pod of that key, or removes it; returns the previous pod. */
  replace(key: string, after: Pod | undefined): Pod | undefined {
    const before = this.#byKey.get(key);
    if (before === undefined && after !== undefined) this.#count(after);
    this.put(key, before, after);
    return before;
  }

  #count(pod: Pod): void {
    const { kind, name } = controllerOf(pod) ?? { kind: "Pod", name: pod.metadata.name };
    const owner = `${pod.metadata.namespace}/${kind.toLowerCase()}/${name}`;
    this.#made++;
    this.#madeBy.set(owner, (this.#madeBy.get(owner) ?? 0) + 1);
  }

  /** Adds the pods of a start, by their keys in the store. */
  addAll({ objects }: StartState): void {
    for (const { kind, object } of objects) {
      if (kind.type.resource !== pods.resource) continue;
      const { namespace = "", name = "" } = object.metadata;
      this.put(`core/pods/${namespace}/${name}`, undefined, object as Pod);
    }
  }

  put(key: string, before: Pod | undefined, after: Pod | undefined): void {
    if (before && isPodBound(before)) this.#byNode.get(before.spec?.nodeName ?? "")?.delete(key);
    if (after === undefined) {
      this.#byKey.delete(key);
      return;
    }
    this.#byKey.set(key, after);
    if (!isPodBound(after)) return;
    const nodeName = after.spec?.nodeName ?? "";
    const onNode = this.#byNode.get(nodeName) ?? new Map<string, Pod>();
    onNode.set(key, after);
    this.#byNode.set(nodeName, onNode);
  }
}
