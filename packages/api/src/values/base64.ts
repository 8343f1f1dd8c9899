/** Base64 of a text's UTF-8 bytes; plain JavaScript, so that it also runs in browsers. */
export function encodeBase64(text: string): string {
  let binary = "";
  for (const byte of new TextEncoder().encode(text)) binary += String.fromCodePoint(byte);
  return btoa(binary);
}

/** The text of canonical base64, as the API stores it. */
export function decodeBase64(encoded: string): string {
  return new TextDecoder().decode(Uint8Array.from(atob(encoded), (char) => char.charCodeAt(0)));
}

/** The number of bytes behind a base64 text. */
export function base64Length(encoded: string): number {
  const padding = encoded.endsWith("==") ? 2 : encoded.endsWith("=") ? 1 : 0;
  return (encoded.length / 4) * 3 - padding;
}
