import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseTimestamp } from "@kintsugi/api";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { VirtualClock } from "@kintsugi/clock/simulated";
import { authorityHash, createAuthority, signDetached } from "@kintsugi/pki";
import { afterAll, beforeAll, expect, test } from "vitest";
import { stringify } from "yaml";
import { askForClusterInfo, awaitClusterInfo, clockWarning, trustedAuthority } from "./discover.ts";
import { joinNode } from "./join-node.ts";
import { holdsIdentity, type NodeFilesOptions, writeCredentials } from "./node-files.ts";

const server = "https://10.0.0.1:6443";
const token = "abcdef.0123456789abcdef";
const parsed = { id: "abcdef", secret: "0123456789abcdef" };
const directory = mkdtempSync(join(tmpdir(), "kintsugi-join-"));
let ca: string;
let kubeconfig: string;

beforeAll(async () => {
  ca = (await createAuthority({ clock: systemClock, random: systemRandom }, "kubernetes")).certificate;
  const cluster = { server, "certificate-authority-data": Buffer.from(ca).toString("base64") };
  kubeconfig = stringify({ clusters: [{ name: "", cluster }] });
});
afterAll(() => rmSync(directory, { recursive: true }));

const answer = (data: Record<string, string>, status = 200) => ({ status, date: "", body: JSON.stringify({ data }) });
const signed = () => answer({ kubeconfig, "jws-kubeconfig-abcdef": signDetached(kubeconfig, parsed) });
const trust = (more: { token?: string; authorityHash?: string } = {}) => ({
  server,
  token,
  authorityHash: undefined,
  discoveryTimeoutMs: 60_000,
  ...more,
});

test("the authority is trusted if the token signed it and its hash is the requested hash", () => {
  expect(trustedAuthority(signed(), trust({ authorityHash: authorityHash(ca) }))).toBe(ca);
});

test("a mismatch is rejected with a remedy", () => {
  const refusal = (from: ReturnType<typeof answer>, more = {}) => {
    try {
      return trustedAuthority(from, trust(more));
    } catch (error) {
      return (error as Error).message;
    }
  };
  expect(refusal(signed(), { token: "short" })).toContain("is not a token");
  expect(refusal(answer({ kubeconfig }))).toContain("has expired or was deleted; `kintsugi token create`");
  expect(refusal(answer({ kubeconfig, "jws-kubeconfig-abcdef": "a..b" }))).toContain("rejects the secret");
  expect(refusal(signed(), { authorityHash: "sha256:00" })).toMatch(
    /is sha256:[0-9a-f]+, not sha256:00: this is another cluster, or an attacker intercepts the connection/,
  );
  expect(refusal(answer({}, 404))).toContain("has no cluster-info (404): run `kintsugi token create`");
  expect(refusal({ status: 200, date: "", body: "<html>" })).toContain("is not an API server");
});

test("a machine with the authority's key cannot join as a node", async () => {
  const controlPlane = join(directory, "control-plane");
  mkdirSync(join(controlPlane, "pki"), { recursive: true });
  writeFileSync(join(controlPlane, "pki/ca.key"), "");
  const deps = { clock: systemClock, random: systemRandom, warn: () => {} };
  const request = { ...trust(), directory: controlPlane } as Parameters<typeof joinNode>[1];
  await expect(joinNode(deps, request)).rejects.toThrow("this machine is a control plane");
});

test("a server that does not answer is named, with the places to inspect", async () => {
  const silent = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", () => resolve()));
  const { port } = silent.address() as { port: number };
  await expect(askForClusterInfo(`https://127.0.0.1:${port}`)).rejects.toThrow(
    /does not respond .*: check the address/,
  );
  silent.close();
});

test("a new token is awaited until cluster-info is signed with it", async () => {
  const clock = new VirtualClock();
  const answers = [answer({}, 404), answer({ kubeconfig }), signed()];
  const ask = async () => answers.shift() ?? signed();
  const asked = awaitClusterInfo({ clock, ask, warn: expect.unreachable }, trust());
  await clock.advance(1000);
  expect(trustedAuthority(await asked, trust())).toBe(ca);
  expect(answers).toEqual([]);
});

test("a token without a signature causes one notice, and the wait for the signature ends after a limit", async () => {
  const clock = new VirtualClock();
  const told: string[] = [];
  const ask = async () => answer({ kubeconfig });
  const asked = awaitClusterInfo({ clock, ask, warn: (sentence) => told.push(sentence) }, trust());
  let given: string | undefined;
  void asked.then(({ body }) => (given = body));
  await clock.advance(59_000);
  expect(given).toBeUndefined();
  expect(told).toEqual([expect.stringContaining("waiting up to 60 s (--discovery-timeout)")]);
  await clock.advance(2_000);
  expect(given).toBe(answer({ kubeconfig }).body);
  expect(() => trustedAuthority(answer({ kubeconfig }), trust())).toThrow(/is unknown to/);
});

test("clocks that differ by much cause a notice, in both directions", () => {
  const atMs = parseTimestamp("2026-11-22T01:00:00Z");
  const date = "Sun, 22 Nov 2026 01:00:00 GMT";
  expect(clockWarning(date, atMs + 59_000)).toBeUndefined();
  expect(clockWarning(date, atMs + 600_000)).toContain("600 s ahead of the API server's");
  expect(clockWarning(date, atMs - 90_000)).toContain("90 s behind the API server's");
  expect(clockWarning("soon", atMs)).toBeUndefined();
});

test("a directory with another cluster's or another node's identity is not changed", async () => {
  const options = { directory, server, nodeName: "node-1" } as NodeFilesOptions;
  expect(holdsIdentity(directory, { ca, nodeName: "node-1" })).toBe(false);
  const pair = { cert: "c", key: "k" };
  await writeCredentials(options, { ca, client: pair, serving: pair });
  expect(holdsIdentity(directory, { ca, nodeName: "node-1" })).toBe(true);
  expect(() => holdsIdentity(directory, { ca: "other", nodeName: "node-1" })).toThrow("a node in another cluster");
  expect(() => holdsIdentity(directory, { ca, nodeName: "node-2" })).toThrow("use the previous --node-name");
});
