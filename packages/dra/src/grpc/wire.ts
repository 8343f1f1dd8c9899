import type { ClaimReference, PreparedClaims, PreparedDevice, UnpreparedClaims } from "../device-driver.ts";

export interface WireRequest {
  readonly claims: readonly ClaimReference[];
}

interface WireResponse<Value> {
  /** An entry without a value has an empty value. */
  readonly claims: readonly { readonly key: string; readonly value: Value | null }[];
}

export function preparedFromWire(answer: object): PreparedClaims {
  const { claims } = answer as WireResponse<{ devices: readonly PreparedDevice[]; error: string }>;
  return new Map(
    claims.map(({ key, value }) => [key, { devices: value?.devices ?? [], error: value?.error ?? "" }] as const),
  );
}

export function unpreparedFromWire(answer: object): UnpreparedClaims {
  const { claims } = answer as WireResponse<{ error: string }>;
  return new Map(claims.map(({ key, value }) => [key, { error: value?.error ?? "" }] as const));
}

export function wireClaims(claims: ReadonlyMap<string, object>): object {
  return { claims: [...claims].map(([key, value]) => ({ key, value })) };
}
