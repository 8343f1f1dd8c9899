import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemRandom } from "@kintsugi/clock";
import { VirtualClock } from "@kintsugi/clock/simulated";
import { expect, onTestFinished, test } from "vitest";
import {
  newCertificateKey,
  openBundle,
  parseCertificateKey,
  placeSharedKeys,
  sealBundle,
} from "./control-plane-bundle.ts";

const bundle = {
  settings: {
    servers: ["192.0.2.10", "192.0.2.11", "192.0.2.12"],
    apiPort: 6443,
    apiNames: ["api.example.com"],
    serviceRange: "10.96.0.0/16",
    profile: "fast" as const,
  },
  files: { "ca.key": "the authority's key", "ca.crt": "its certificate", "../escape": "x" },
};

function sealed() {
  const clock = new VirtualClock();
  const key = newCertificateKey(systemRandom);
  return { clock, key, text: sealBundle({ clock, random: systemRandom }, bundle, key) };
}

test("a bundle is decrypted by its key, and shows nothing without it", () => {
  const { clock, key, text } = sealed();
  expect(parseCertificateKey(key)).toBe(key);
  expect(openBundle({ clock }, text, key)).toEqual(bundle);
  expect(text).not.toContain("authority");
  expect(() => openBundle({ clock }, text, newCertificateKey(systemRandom))).toThrow("another certificate key");
});

test("a modified bundle, even if only its time changed, is rejected", () => {
  const { clock, key, text } = sealed();
  const with_ = (change: object) => JSON.stringify({ ...(JSON.parse(text) as object), ...change });
  for (const change of [{ madeAtMs: clock.nowMs() + 1 }, { data: "AAAA" }, { tag: "AAAA" }, { iv: "AAAA" }])
    expect(() => openBundle({ clock }, with_(change), key)).toThrow("or has changed since");
  for (const other of ["", "{", "[]", "{}", with_({ format: 2 })])
    expect(() => openBundle({ clock }, other, key)).toThrow("create the file again on the first machine");
});

test("a bundle is valid for two hours", async () => {
  const { clock, key, text } = sealed();
  await clock.advance(2 * 3_600_000);
  expect(openBundle({ clock }, text, key)).toEqual(bundle);
  await clock.advance(1);
  expect(() => openBundle({ clock }, text, key)).toThrow("2 hours old, but valid for two");
});

test.each(["", "abc", "g".repeat(64), "a".repeat(63)])("%j is not a certificate key", (text) => {
  expect(() => parseCertificateKey(text)).toThrow("64 hexadecimal digits");
});

test("keys are readable only by their owner, a second write has no effect, and another cluster's keys are never overwritten", async () => {
  const root = mkdtempSync(join(tmpdir(), "kintsugi-bundle-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const pki = join(root, "pki");
  await placeSharedKeys(pki, bundle);
  await placeSharedKeys(pki, bundle);
  expect(readFileSync(join(pki, "ca.key"), "utf8")).toBe("the authority's key");
  expect([statSync(pki).mode & 0o777, statSync(join(pki, "ca.key")).mode & 0o777]).toEqual([0o700, 0o600]);
  expect(() => readFileSync(join(root, "escape"))).toThrow("ENOENT");
  writeFileSync(join(pki, "ca.key"), "of another cluster");
  await expect(placeSharedKeys(pki, bundle)).rejects.toThrow("this machine already has a control plane");
});
