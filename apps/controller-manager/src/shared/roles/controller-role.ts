import type { PolicyRule } from "@kintsugi/api";

/** Rules that a controller needs. The bootstrap policy of the API server is made of these. */
export interface ControllerRole {
  /**
   * Upstream's, which begins with "system:controller:", or one of our own, which begins with
   * "kintsugi:".
   */
  readonly name: string;
  /** In the whole cluster. */
  readonly rules?: readonly PolicyRule[];
  /** In one namespace only, by its name. */
  readonly inNamespace?: Readonly<Record<string, readonly PolicyRule[]>>;
}
