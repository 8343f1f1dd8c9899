import { isPodBound, type Pod, pods } from "@kintsugi/api";
import type { StartState } from "@kintsugi/rehearsal";
import { parseValue } from "@kintsugi/simulation";
import type { CommittedChange } from "@kintsugi/store";

/** The pods as they are committed, by their nodes. */
export class LivePods {
  readonly #byKey = new Map<string, Pod>();
  readonly #byNode = new Map<string, Map<string, Pod>>();

  all(): Iterable<Pod> {
    return this.#byKey.values();
  }

  on(nodeName: string): readonly Pod[] {
    return [...(this.#byNode.get(nodeName)?.values() ?? [])];
  }

  /** Takes a change of a pod; returns the pod before and after it. */
  apply({ type, entry }: CommittedChange): { before: Pod | undefined; after: Pod | undefined } {
    const before = this.#byKey.get(entry.key);
    const after = type === "delete" ? undefined : parseValue<Pod>(entry.value);
    this.put(entry.key, before, after);
    return { before, after };
  }

  /** Takes the pods of a start, by the keys that they have in the store. */
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
