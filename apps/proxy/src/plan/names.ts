import { createHash } from "node:crypto";

// The kernel's names have at most 255 characters. 16 of them are for a prefix: "service-",
// "endpoint-". The names are upstream's, so that documents about the rules of kube-proxy in
// nftables mode apply to these rules:
//
//   service-ULMVA6XW-ns1/svc1/tcp/p80
//   endpoint-5OJB2KTY-ns1/svc1/tcp/p80__10.180.0.1/80

const nameLengthMax = 255;
const prefixLengthMax = 16;
const baseLengthMax = nameLengthMax - prefixLengthMax;

/**
 * Returns the name after a hash of the name, cut to the kernel's limit. A cut name is still unique.
 */
export function chainBase(name: string): string {
  return `${shortHash(name)}-${name}`.slice(0, baseLengthMax);
}

export function endpointChainBase(name: string, address: string, port: number): string {
  return chainBase(`${name}__${address}/${port}`);
}

/** Eight characters of base 32. */
function shortHash(text: string): string {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
  return [...createHash("sha256").update(text).digest().subarray(0, 8)]
    .map((byte) => alphabet[byte & 31] ?? "")
    .join("");
}
