import type { Ingress } from "@kintsugi/api";
import { fairShares } from "@kintsugi/daemon";

/** A limited number of slots, which namespaces share and use. */
export class Places {
  readonly #shares: ReadonlyMap<string, number>;
  readonly #taken = new Map<string, number>();

  constructor(wanted: ReadonlyMap<string, number>, places: number) {
    this.#shares = fairShares(wanted, places);
  }

  shareOf(namespace: string): number {
    return this.#shares.get(namespace) ?? 0;
  }

  /** Returns false where the namespace has no slot left. */
  take(namespace: string): boolean {
    const taken = this.#taken.get(namespace) ?? 0;
    if (taken >= this.shareOf(namespace)) return false;
    this.#taken.set(namespace, taken + 1);
    return true;
  }
}

/**
 * Orders messages so that the first of each namespace precede the others, because a reader reads
 * only a few messages.
 */
export function inTurns<T extends { readonly namespace: string }>(messages: readonly T[]): T[] {
  const turns = new Map<string, number>();
  const numbered = messages.map((message) => {
    const turn = turns.get(message.namespace) ?? 0;
    turns.set(message.namespace, turn + 1);
    return { message, turn };
  });
  return numbered.toSorted((a, b) => a.turn - b.turn).map(({ message }) => message);
}

/** Returns the number of certificates that the Ingresses of each namespace name. */
export function wantedCertificates(ingresses: readonly Ingress[]): ReadonlyMap<string, number> {
  return countBy(ingresses, ({ spec }) => spec?.tls?.length ?? 0);
}

/** Returns the number of routes that the Ingresses of each namespace request. */
export function wantedRoutes(ingresses: readonly Ingress[]): ReadonlyMap<string, number> {
  // A rule without paths has one route for its whole host.
  return countBy(ingresses, ({ spec }) =>
    (spec?.rules ?? []).reduce((sum, { http }) => sum + Math.max(1, http?.paths.length ?? 0), 0),
  );
}

function countBy(ingresses: readonly Ingress[], count: (ingress: Ingress) => number): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const ingress of ingresses) {
    const { namespace = "" } = ingress.metadata;
    counts.set(namespace, (counts.get(namespace) ?? 0) + count(ingress));
  }
  return counts;
}
