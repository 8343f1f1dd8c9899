import { X509Certificate } from "node:crypto";
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { VirtualClock } from "@kintsugi/clock/simulated";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newClusterSpec } from "../cluster/cluster-spec.ts";
import { createAuthority, openAuthority } from "@kintsugi/pki";
import { certificateRequests } from "./certificate-requests.ts";
import { ensurePki } from "./cluster-pki.ts";
import { identityFiles } from "./identity-files.ts";

const deps = { clock: systemClock, random: systemRandom };
const spec = newClusterSpec({ name: "demo", nodeCount: 2, profile: "fast", apiPort: 6443, subnet: 64, createdAtMs: 0 });
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "kintsugi-pki-"));
  await ensurePki(deps, spec, directory);
});
afterAll(() => rm(directory, { recursive: true }));

const certificateOf = async (name: string) =>
  new X509Certificate(await readFile(identityFiles(directory, name).certFile));

test("every certificate is signed by the authority and names its user and groups", async () => {
  const ca = await certificateOf("ca");
  for (const name of Object.keys(certificateRequests(spec))) {
    const certificate = await certificateOf(name);
    expect(certificate.checkIssued(ca)).toBe(true);
    expect(certificate.verify(ca.publicKey)).toBe(true);
  }
  expect((await certificateOf("node-1")).subject).toBe("O=system:nodes\nCN=system:node:node-1");
  expect((await certificateOf("admin")).subject).toBe("O=system:masters\nCN=kubernetes-admin");
});

test("a server's certificate is valid for its addresses and no other address", async () => {
  const server = await certificateOf("api-server");
  expect(server.checkIP("127.0.0.1")).toBe("127.0.0.1");
  expect(server.checkIP("10.64.0.1")).toBe("10.64.0.1");
  expect(server.checkIP("10.64.0.2")).toBeUndefined();
  expect((await certificateOf("node-2")).checkIP("10.64.0.12")).toBe("10.64.0.12");
});

test("keys are readable by their owner only, and a second run changes nothing", async () => {
  const { keyFile } = identityFiles(directory, "admin");
  expect((await stat(keyFile)).mode & 0o777).toBe(0o600);
  const before = await readFile(keyFile, "utf8");
  await ensurePki(deps, spec, directory);
  expect(await readFile(keyFile, "utf8")).toBe(before);
});

test("a stored authority continues to sign", async () => {
  const made = await createAuthority(deps, "kubernetes");
  const opened = await openAuthority(deps, { certificate: made.certificate, key: made.key });
  const issued = new X509Certificate((await opened.issue({ commonName: "late", usages: ["client"] })).certificate);
  expect(issued.verify(new X509Certificate(made.certificate).publicKey)).toBe(true);
});

test("validity starts a little earlier than now, so that a late clock accepts it", async () => {
  const clock = new VirtualClock({ startMs: 1_767_225_600_000 });
  const authority = await createAuthority({ clock, random: systemRandom }, "kubernetes");
  const certificate = new X509Certificate(authority.certificate);
  expect(certificate.validFrom).toBe("Dec 31 23:55:00 2025 GMT");
});
