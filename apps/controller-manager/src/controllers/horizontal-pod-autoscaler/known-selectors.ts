import type { Selector } from "@kintsugi/api";

/**
 * The selectors of the targets of all autoscalers, once they have been read. Autoscalers compete
 * only for pods of their own namespace.
 */
export class KnownSelectors {
  /**
   * The outer key is the namespace, and the inner key is the autoscaler. A namespace without
   * autoscalers has no entry.
   */
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

  /**
   * The selectors of all autoscalers in this autoscaler's namespace, including its own, by their
   * keys.
   */
  near(key: string): ReadonlyMap<string, Selector> {
    return this.#byNamespace.get(namespaceOf(key)) ?? new Map();
  }
}

/** The namespace of a key, including the slash. */
function namespaceOf(key: string): string {
  return key.slice(0, key.indexOf("/") + 1);
}
