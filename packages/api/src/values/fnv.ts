/**
 * FNV-1a in 32 bits, like Go's hash/fnv New32a: short and stable names for equal values, without
 * protection against collisions by design.
 */
export function fnv1a32(bytes: Uint8Array): number {
  let hash = 0x811c9dc5;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash;
}
