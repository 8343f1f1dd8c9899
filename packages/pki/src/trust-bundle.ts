import { X509Certificate } from "node:crypto";

/**
 * Returns the faults of a ClusterTrustBundle's certificates, in upstream's words
 * (validateTrustBundle of pkg/apis/certificates/validation). Text between the blocks is a comment.
 */
export function explainTrustBundle(text: string): readonly string[] {
  const places = new Map<string, number[]>();
  const faults = pemBlocks(text).flatMap(({ type, body }, index) => {
    if (type !== "CERTIFICATE") return [`entry ${index} has bad block type: ${type}`];
    if (body.includes(":")) return [`entry ${index} has PEM block headers`];
    const der = Buffer.from(body, "base64");
    const certificate = findCertificate(der);
    if (certificate === undefined) return [`entry ${index} does not parse as X.509`];
    if (!certificate.ca) return [`entry ${index} does not have the CA bit set`];
    const key = der.toString("base64");
    places.set(key, [...(places.get(key) ?? []), index]);
    return [];
  });
  if (faults.length > 0) return faults;
  if (places.size === 0) return ["at least one trust anchor must be provided"];
  return [...places.values()]
    .filter((indices) => indices.length > 1)
    .map((indices) => `duplicate trust anchor (indices [${indices.join(" ")}])`);
}

/** The blocks of a PEM text, in order; a block without an end is skipped. */
function pemBlocks(text: string): { type: string; body: string }[] {
  const blocks: { type: string; body: string }[] = [];
  const begin = /-----BEGIN ([A-Z0-9 ]{1,64})-----/g;
  for (let found = begin.exec(text); found !== null; found = begin.exec(text)) {
    const [, type = ""] = found;
    const ending = `-----END ${type}-----`;
    const end = text.indexOf(ending, begin.lastIndex);
    // Blocks of another type may follow, but the same end is never searched twice.
    if (end < 0) break;
    blocks.push({ type, body: text.slice(begin.lastIndex, end) });
    begin.lastIndex = end + ending.length;
  }
  return blocks;
}

function findCertificate(der: Buffer): X509Certificate | undefined {
  try {
    return new X509Certificate(der);
  } catch {
    return undefined;
  }
}
