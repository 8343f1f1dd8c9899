/** CRI represents time in nanoseconds since the epoch, as 64-bit integers. */
const nanosecondsPerMs = 1_000_000n;

export function msFromNanoseconds(nanoseconds: string): number {
  return Number(BigInt(nanoseconds) / nanosecondsPerMs);
}

export function nanosecondsFromMs(ms: number): string {
  return String(BigInt(Math.trunc(ms * 1000)) * 1000n);
}

/** A google.protobuf.Timestamp as it is decoded. */
export interface WireTimestamp {
  seconds: string;
  nanos: number;
}

export function msFromTimestamp(timestamp: WireTimestamp | null): number {
  return timestamp ? Number(timestamp.seconds) * 1000 + Math.floor(timestamp.nanos / 1e6) : 0;
}

export function timestampFromMs(ms: number): WireTimestamp {
  const seconds = Math.floor(ms / 1000);
  return { seconds: String(seconds), nanos: Math.trunc((ms - seconds * 1000) * 1000) * 1000 };
}

/** Int64Value and UInt64Value: an integer that may be absent. */
export type WireInteger = { value: string } | null;

export function wireInteger(value: number | undefined): WireInteger {
  return value === undefined ? null : { value: String(value) };
}

export function integerFromWire(wire: WireInteger): number {
  return wire ? Number(wire.value) : 0;
}

/**
 * `{ [key]: value }` if the value is defined, otherwise an empty object, which omits an optional
 * field.
 */
export function optional<K extends string, V>(key: K, value: V | undefined | null): { [P in K]?: V } {
  return (value === undefined || value === null ? {} : { [key]: value }) as { [P in K]?: V };
}

/** The same as `optional`, for integers. */
export function optionalInteger<K extends string>(key: K, wire: WireInteger | undefined): { [P in K]?: number } {
  return optional(key, wire ? integerFromWire(wire) : undefined);
}

/**
 * The same as `optional`, for strings: on the wire an empty string and an absent text are the same.
 */
export function optionalText<K extends string>(key: K, value: string): { [P in K]?: string } {
  return optional(key, value === "" ? undefined : value);
}
