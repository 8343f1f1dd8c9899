import { createHash } from "node:crypto";
import type { Pod } from "@kintsugi/api";
import { nameText } from "@kintsugi/clock";

/** Upstream's limit leaves a hyphen and five letters of a name with 63 characters. */
const baseLengthMax = 57;
const suffixLength = 5;

/**
 * Returns the generateName of an entry's claim. If it is too long, the pod's name and the entry's
 * name are cut in proportion (upstream's handleClaim).
 */
export function claimNameBase(podName: string, entryName: string): string {
  const whole = `${podName}-${entryName}-`;
  if (whole.length <= baseLengthMax) return whole;
  const share = (text: string) => text.slice(0, Math.floor((text.length * baseLengthMax) / whole.length));
  return `${share(podName)}-${share(entryName)}`;
}

/**
 * Returns the name of a pod's claim for one entry. Upstream's suffix is random. Here it is derived
 * from the pod's UID and the entry, so that a creation that is repeated, because its response was
 * lost or because another process leads now, finds the first claim and never makes a second.
 * @param attempt 0 at first; a higher number gives another name if a foreign claim has the first
 * name.
 */
export function generatedClaimName({ metadata }: Pick<Pod, "metadata">, entryName: string, attempt: number): string {
  const digest = createHash("sha256").update(`${metadata.uid}/${entryName}/${attempt}`).digest("base64url");
  const suffix = nameText(digest).slice(0, suffixLength);
  return `${claimNameBase(metadata.name ?? "", entryName)}${suffix}`;
}
