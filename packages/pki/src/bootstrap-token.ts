import { createHmac, timingSafeEqual } from "node:crypto";
import type { Random } from "@kintsugi/clock";

/** "<id>.<secret>". The id may be public; the secret is the key of a signature. */
export interface BootstrapToken {
  readonly id: string;
  readonly secret: string;
}

const letters = "abcdefghijklmnopqrstuvwxyz0123456789";
const idLength = 6;
const secretLength = 16;

/** Undefined when the text is not a token. */
export function parseBootstrapToken(text: string): BootstrapToken | undefined {
  const [, id, secret] = /^([a-z0-9]{6})\.([a-z0-9]{16})$/.exec(text) ?? [];
  return id === undefined || secret === undefined ? undefined : { id, secret };
}

export function newBootstrapToken(random: Random): BootstrapToken {
  return { id: word(random, idLength), secret: word(random, secretLength) };
}

/** Bytes from 252 on would make the first four letters more likely than the other letters. */
function word(random: Random, length: number): string {
  let text = "";
  while (text.length < length)
    for (const byte of random.bytes(length))
      if (byte < 252 && text.length < length) text += letters[byte % letters.length] ?? "";
  return text;
}

/** Upstream's signature of cluster-info: a JWS (RFC 7515) with HS256, without its payload. */
export function signDetached(payload: string, { id, secret }: BootstrapToken): string {
  const header = base64url(JSON.stringify({ alg: "HS256", kid: id }));
  return `${header}..${hmac(`${header}.${base64url(payload)}`, secret)}`;
}

export function isSignedBy(payload: string, token: BootstrapToken, signature: string): boolean {
  const [header = "", nothing, mac = ""] = signature.split(".");
  const expected = Buffer.from(hmac(`${header}.${base64url(payload)}`, token.secret));
  const given = Buffer.from(mac);
  return nothing === "" && expected.length === given.length && timingSafeEqual(expected, given);
}

function hmac(text: string, secret: string): string {
  return createHmac("sha256", secret).update(text).digest("base64url");
}

function base64url(text: string): string {
  return Buffer.from(text).toString("base64url");
}
