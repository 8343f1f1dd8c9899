/** The source of a program's randomness; seeded in simulations, so that a run can be repeated. */
export interface Random {
  /** A number in [0, 1). */
  float(): number;
  /** A whole number in [0, below). `below` is at least 1. */
  integer(below: number): number;
  bytes(length: number): Uint8Array;
  /** A version 4 UUID, as object UIDs are. */
  uuid(): string;
}

/**
 * The letters of upstream's generated names, without vowels and without letters that look alike
 * (apimachinery/pkg/util/rand).
 */
const nameLetters = "bcdfghjklmnpqrstvwxz2456789";

/**
 * A random suffix for a generated name, `length` characters long. Upstream's generateName appends
 * 5.
 */
export function nameSuffix(random: Random, length = 5): string {
  let suffix = "";
  for (let i = 0; i < length; i++) suffix += nameLetters[random.integer(nameLetters.length)];
  return suffix;
}

/**
 * Writes any text in the letters of generated names, one letter for each byte, as apimachinery's
 * SafeEncodeString does.
 */
export function nameText(text: string): string {
  return Array.from(new TextEncoder().encode(text), (byte) => nameLetters[byte % nameLetters.length]).join("");
}

/** `valueMs` plus up to `factor` of itself, as upstream's wait.Jitter. */
export function jittered(random: Random, valueMs: number, factor: number): number {
  return valueMs * (1 + random.float() * factor);
}

/** Formats 16 random bytes as a version 4 UUID (RFC 9562 section 5.4). */
export function uuidFromBytes(bytes: Uint8Array): string {
  const b = Uint8Array.from(bytes);
  b[6] = ((b[6] ?? 0) & 0x0f) | 0x40;
  b[8] = ((b[8] ?? 0) & 0x3f) | 0x80;
  const hex = Array.from(b, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
}
