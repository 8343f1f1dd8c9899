import type { PolicyRule } from "@kintsugi/api";

/** Rules that a controller needs. The API server's bootstrap policy is derived from them. */
export interface ControllerRole {
  /**
   * Upstream's name, which begins with "system:controller:", or Kintsugi's own name, which begins
   * with "kintsugi:".
   */
  readonly name: string;
  /** Rules for the whole cluster. */
  readonly rules?: readonly PolicyRule[];
  /** Rules for single namespaces, by their names. */
  readonly inNamespace?: Readonly<Record<string, readonly PolicyRule[]>>;
}
