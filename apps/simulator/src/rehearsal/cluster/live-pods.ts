import { isPodBound, type Pod, pods } from "@kintsugi/api";
import type { StartState } from "@kintsugi/rehearsal";

/** The committed pods, by their nodes. */
export class LivePods {
  readonly #byKey = new Map<string, Pod>();
  readonly #byNode = new Map<string, Map<string, Pod>>();

  all(): Iterable<Pod> {
    return this.#byKey.values();
  }

  on(nodeName: string): readonly Pod[] {
    return [...(this.#byNode.get(nodeName)?.values() ?? [])];
  }

  /** Replaces the pod of that key, or removes it; returns the previous pod. */
  replace(key: string, after: Pod | undefined): Pod | undefined {
    const before = this.#byKey.get(key);
    this.put(key, before, after);
    return before;
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
