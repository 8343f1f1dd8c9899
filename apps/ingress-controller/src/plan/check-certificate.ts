import { X509Certificate } from "node:crypto";
import { createSecureContext } from "node:tls";
import type { Secret } from "@kintsugi/api";

/**
 * Debian's OpenSSL rejects keys below 112 bits of security, and HAProxy then rejects the
 * configuration.
 */
const ciphers = "DEFAULT@SECLEVEL=2";

export type CheckedCertificate = { pem: string } | { because: string };

const checked = new WeakMap<Secret, CheckedCertificate>();

/**
 * Reads certificate and key of a Secret of type kubernetes.io/tls. A pair that the server in front
 * would reject is rejected here, because one tenant's invalid Secret must not prevent other
 * tenants' routes from being served. Each Secret object is checked only once.
 */
export function checkCertificate(secret: Secret): CheckedCertificate {
  const known = checked.get(secret);
  if (known !== undefined) return known;
  const result = check(secret);
  checked.set(secret, result);
  return result;
}

function check({ data = {} }: Secret): CheckedCertificate {
  const [cert, key] = ["tls.crt", "tls.key"].map((name) => Buffer.from(data[name] ?? "", "base64").toString("latin1"));
  if (!cert || !key) return { because: "it lacks tls.crt or tls.key" };
  const [certificates, keys] = [blocks(cert, "CERTIFICATE"), blocks(key, "(?:EC |RSA )?PRIVATE KEY")];
  const [only] = keys;
  if (certificates.length === 0 || keys.length !== 1 || only === undefined)
    return { because: "tls.crt has to hold certificates and tls.key one private key, in PEM" };
  try {
    for (const certificate of certificates) void new X509Certificate(certificate).subject;
    createSecureContext({ cert: certificates.join("\n"), key: only, ciphers });
  } catch (error) {
    return { because: `certificate and key cannot be used: ${(error as Error).message}` };
  }
  return { pem: [...certificates, only, ""].join("\n") };
}

/** The PEM blocks of a string, without the text between them. */
function blocks(text: string, label: string): string[] {
  return text.match(new RegExp(`-----BEGIN ${label}-----[A-Za-z0-9+/=\\s]+-----END ${label}-----`, "g")) ?? [];
}
