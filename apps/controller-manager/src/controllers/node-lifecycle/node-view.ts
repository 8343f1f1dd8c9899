import type { Node } from "@kintsugi/api";
import type { Informer } from "@kintsugi/client";

/**
 * The nodes as last known: the informer's state, or later writes of this controller that the
 * informer has not received yet.
 */
export class NodeView {
  readonly #informer: Informer<Node>;
  /**
   * Nodes that this controller wrote, at most one entry each; dropped as soon as the informer has
   * caught up.
   */
  readonly #written = new Map<string, Node>();
  /** The names of nodes that may have changed; each at most once. */
  readonly #touched = new Set<string>();

  constructor(informer: Informer<Node>) {
    this.#informer = informer;
  }

  /** Returns the names of the nodes that may have changed since the last call. */
  takeTouched(): string[] {
    const touched = [...this.#touched];
    this.#touched.clear();
    return touched;
  }

  find(name: string): Node | undefined {
    const seen = this.#informer.find({ namespace: "", name });
    const written = this.#written.get(name);
    if (!seen || !written) return seen;
    return written.metadata.uid === seen.metadata.uid && revision(written) > revision(seen) ? written : seen;
  }

  list(): readonly Node[] {
    if (this.#written.size === 0) return this.#informer.list();
    return this.#informer.list().map((node) => this.find(node.metadata.name ?? "") ?? node);
  }

  wrote(node: Node): void {
    const { name = "" } = node.metadata;
    this.#touched.add(name);
    this.#written.set(name, node);
  }

  /** Call when the informer has a change of the node, or its deletion. */
  changed(name: string): void {
    this.#touched.add(name);
    const written = this.#written.get(name);
    if (written && this.find(name) !== written) this.#written.delete(name);
  }
}

function revision(node: Node): number {
  return Number(node.metadata.resourceVersion ?? 0);
}
