import type { PolicyRule } from "@kintsugi/api";

/** Rules that a controller needs. The bootstrap policy of the API server is made of these. */
export interface ControllerRole {
  /**
   * Upstream's, which begins with "system:controller:", or one of our own, which begins with
   * "kintsugi:".
   */
  readonly name: string;
  /** Rules for the whole cluster. */
  readonly rules?: readonly PolicyRule[];
  /** Rules for single namespaces, by their names. */
  readonly inNamespace?: Readonly<Record<string, readonly PolicyRule[]>>;
}
