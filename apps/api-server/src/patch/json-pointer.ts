/**
 * Each of the 64 levels has a key of at most 253 characters and a prefix of as many characters, so
 * no existing value has a longer path.
 */
const pointerLengthMax = 64 * 512;

/**
 * An RFC 6901 pointer as its unescaped tokens; undefined when the text is not a pointer. "" is the
 * whole document.
 */
export function parsePointer(text: string): readonly string[] | undefined {
  if (text.length > pointerLengthMax) return undefined;
  if (text === "") {
    return [];
  }
  if (!text.startsWith("/")) {
    return undefined;
  }
  return text
    .slice(1)
    .split("/")
    .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/**
 * The array position that a token denotes, or undefined. Negative positions count from the end.
 * Upstream's library accepts them, although the RFC does not, so patches that work there work here.
 */
export function parseArrayIndex(token: string, length: number): number | undefined {
  if (!/^-?(0|[1-9][0-9]{0,8})$/.test(token)) {
    return undefined;
  }
  const index = Number(token);
  const position = index < 0 ? index + length : index;
  return position >= 0 && position < length ? position : undefined;
}
