import type { Selector } from "@kintsugi/api";

/**
 * The selectors of the targets of all autoscalers, once they were read: autoscalers compete for
 * pods of their own namespace only.
 */
export class KnownSelectors {
  /** The key is the namespace, then the autoscaler's key; no namespace is empty. */
  readonly #byNamespace = new Map<string, Map<string, Selector>>();

  set(key: string, selector: Selector): void {
    const namespace = namespaceOf(key);
    const known = this.#byNamespace.get(namespace) ?? new Map<string, Selector>();
    this.#byNamespace.set(namespace, known.set(key, selector));
  }

  delete(key: string): void {
    const namespace = namespaceOf(key);
    const known = this.#byNamespace.get(namespace);
    if (known?.delete(key) === true && known.size === 0) this.#byNamespace.delete(namespace);
  }

  /** The selectors of the autoscalers beside this one and its own, by their keys. */
  near(key: string): ReadonlyMap<string, Selector> {
    return this.#byNamespace.get(namespaceOf(key)) ?? new Map();
  }
}

/** The namespace of a key, with the slash. */
function namespaceOf(key: string): string {
  return key.slice(0, key.indexOf("/") + 1);
}
