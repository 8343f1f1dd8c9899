import { systemClock, systemRandom } from "@kintsugi/clock";
import { expect, test } from "vitest";
import { createAuthority } from "./certificates.ts";
import { explainTrustBundle } from "./trust-bundle.ts";

const authority = async (name: string) =>
  (await createAuthority({ clock: systemClock, random: systemRandom }, name)).certificate;

test("a bundle contains certificates of authorities, each of them once", async () => {
  const [first, second] = [await authority("a"), await authority("b")];
  expect(explainTrustBundle(`a comment\n${first}\n${second}`)).toEqual([]);
  expect(explainTrustBundle("")).toEqual(["at least one trust anchor must be provided"]);
  expect(explainTrustBundle(`${first}\n${first}`)).toEqual(["duplicate trust anchor (indices [0 1])"]);
  const key = "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n";
  const garbage = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
  const headers = garbage.replace("AAAA", "Proc-Type: 4,ENCRYPTED\n\nAAAA");
  expect(explainTrustBundle(`${key}${garbage}${headers}`)).toEqual([
    "entry 0 has bad block type: PRIVATE KEY",
    "entry 1 does not parse as X.509",
    "entry 2 has PEM block headers",
  ]);
  // Blocks begin and never end, and the text is read once.
  expect(explainTrustBundle("-----BEGIN CERTIFICATE-----\n".repeat(30_000))).toEqual([
    "at least one trust anchor must be provided",
  ]);
});
