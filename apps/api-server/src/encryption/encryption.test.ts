import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { silentLogger, silentMetrics } from "@kintsugi/api";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { SeededRandom } from "@kintsugi/clock/simulated";
import { exportSnapshot, LevelStore, restoreSnapshot, ValueSealed } from "@kintsugi/store";
import { afterEach, describe, expect, test } from "vitest";
import { createApiServer } from "../factory.ts";
import { encryptedValues } from "./encrypted-values.ts";
import { parseEncryptionConfig } from "./encryption-config.ts";

const head = "apiVersion: apiserver.config.k8s.io/v1\nkind: EncryptionConfiguration\n";
const read = (text: string) => parseEncryptionConfig(head + text, "encryption.yaml");
const secretOf = (byte: number, length = 32) => Buffer.alloc(length, byte).toString("base64");
const provider = (name: string, ...keys: [name: string, byte: number][]) =>
  `{ ${name}: { keys: [${keys.map(([key, byte]) => `{ name: ${key}, secret: ${secretOf(byte)} }`).join(", ")}] } }`;
const configure = (resources: string, ...providers: string[]) =>
  encryptedValues(
    read(`resources: [{ resources: [${resources}], providers: [${providers.join(", ")}] }]`),
    new SeededRandom(3),
  );

const key = "core/secrets/default/s";
const value = Buffer.from('{"kind":"Secret"}');
const identity = "{ identity: {} }";

describe("a configuration with faults is rejected with the place of each fault, and without its keys", () => {
  const of = (resources: string, providers: string) =>
    `resources: [{ resources: ${resources}, providers: ${providers} }]`;
  test.each([
    ["resources: []", "at least one resources is required"],
    [of("[]", "[{ identity: {} }]"), "at least one resource is required"],
    [of("[secrets]", "[]"), "at least one provider is required"],
    [of("[secrets]", "[{}]"), "provider does not contain any of the expected providers"],
    [
      of("[secrets]", `[{ identity: {}, aescbc: { keys: [{ name: a, secret: ${secretOf(1)} }] } }]`),
      "more than one provider specified in a single element",
    ],
    [
      of("[secrets]", `[{ secretbox: { keys: [{ name: a, secret: ${secretOf(1, 16)} }] } }]`),
      "secret is not of the expected length, got 16, expected one of [32]",
    ],
    [of("[secrets]", "[{ aesgcm: { keys: [{ name: a, secret: '?' }] } }]"), "secrets must be base64 encoded"],
    [of("[secrets]", `[{ aesgcm: { keys: [{ name: "a:b", secret: ${secretOf(1)} }] } }]`), "and no colon"],
    [of("['*']", "[{ identity: {} }]"), "use '*.' to encrypt all the resources from core API group"],
    [of("[secrets, '*.']", "[{ identity: {} }]"), "using overlapping resources"],
    [of("[deployments.apps, '*.apps']", "[{ identity: {} }]"), "using overlapping resources"],
    [of("[secrets, secrets]", "[{ identity: {} }]"), "the same resource cannot be specified multiple times"],
    [of("[events.events.k8s.io]", "[{ identity: {} }]"), "Use 'events' instead in the config file"],
    [of("[Secrets]", "[{ identity: {} }]"), "resource name should not contain capital letters"],
  ])("%s", (text, message) => {
    expect(() => read(text)).toThrow(message);
    expect(() => read(text)).not.toThrow(secretOf(1));
  });
});

describe("values", () => {
  test.each(["aesgcm", "aescbc", "secretbox"])(
    "are encrypted with %s under upstream's prefix, and decrypted",
    (name) => {
      const values = configure("secrets", provider(name, ["one", 1]));
      const sealed = Buffer.from(values.seal(key, value));
      expect(sealed.toString("latin1").startsWith(`k8s:enc:${name}:v1:one:`)).toBe(true);
      expect(sealed.includes("Secret")).toBe(false);
      expect(Buffer.from(values.seal(key, value)).equals(sealed)).toBe(false);
      expect(Buffer.from(values.open(key, sealed).value)).toEqual(value);
      expect(values.open(key, sealed).stale).toBe(false);
      const other = configure("secrets", provider(name, ["one", 2]));
      expect(() => other.open(key, sealed)).toThrow('the key "one" does not decrypt the value');
    },
  );

  test("have upstream's layouts: NaCl's secretbox is checked with a known result", () => {
    // The vector of NaCl's own test, tests/secretbox.c.
    const hex = (text: string) => Buffer.from(text, "hex");
    const firstKey = hex("1b27556473e985d462cd51197a9a46c76009549eac6474f206c4ee0844f68389");
    const nonce = hex("69696ee955b62b73cd62bda875fc73d68219e0036b7a0b37");
    const start = hex("be075fc53c81f2d5cf141316ebeb0c7b5228c52a4c62cbd44b66849b64244ffc");
    const entries = read(
      `resources: [{ resources: [secrets], providers: [{ secretbox: { keys: [{ name: k, secret: ${firstKey.toString("base64")} }] } }] }]`,
    );
    const values = encryptedValues(entries, { bytes: () => nonce });
    const sealed = Buffer.from(values.seal(key, start));
    const prefix = Buffer.from("k8s:enc:secretbox:v1:k:");
    expect(sealed.subarray(prefix.length, prefix.length + 24)).toEqual(nonce);
    // The start of a stream's ciphertext does not depend on the length of the message.
    expect(sealed.subarray(prefix.length + 40).toString("hex")).toBe(
      "8e993b9f48681273c29650ba32fc76ce48332ea7164d96a4476fb8c531a1186a",
    );
  });

  test("that AES-GCM binds to their object cannot be moved to another object", () => {
    const values = configure("secrets", provider("aesgcm", ["one", 1]));
    expect(() => values.open("core/secrets/default/other", values.seal(key, value))).toThrow(
      "does not decrypt the value",
    );
  });

  test("are decrypted with every key, and are stale unless encrypted with the first key", () => {
    const before = configure("secrets", provider("aescbc", ["old", 1]));
    const both = configure("secrets", provider("aescbc", ["new", 2], ["old", 1]), identity);
    const sealed = before.seal(key, value);
    expect(both.open(key, sealed)).toEqual({ value, stale: true });
    expect(both.open(key, value)).toEqual({ value, stale: true });
    expect(both.open(key, both.seal(key, value)).stale).toBe(false);
    const without = configure("secrets", provider("aescbc", ["new", 2]));
    expect(() => without.open(key, sealed)).toThrow("no matching key was found for the provided transformer");
    expect(() => without.open(key, value)).toThrow("no matching prefix found");
    const never = configure("secrets", identity);
    expect(() => never.open(key, sealed)).toThrow("identity transformer tried to read encrypted data");
    expect(never.seal(key, value)).toBe(value);
  });

  test.each([
    ["secrets", "core/secrets/a/b", true],
    ["secrets", "core/configmaps/a/b", false],
    ["'*.'", "core/configmaps/a/b", true],
    ["'*.'", "apps/deployments/a/b", false],
    ["deployments.apps", "apps/deployments/a/b", true],
    ["'*.apps'", "apps/replicasets/a/b", true],
    ["'*.*'", "example.com/lamps/_/b", true],
  ])("%s covers %s: %s", (resources, stored, isCovered) => {
    const values = configure(resources, provider("aesgcm", ["one", 1]));
    expect(values.seal(stored, value) !== value).toBe(isCovered);
  });
});

describe("a server", () => {
  const cleanups: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  });

  async function directory(): Promise<string> {
    const made = await mkdtemp(join(tmpdir(), "kintsugi-encryption-"));
    cleanups.push(() => rm(made, { recursive: true }));
    return made;
  }

  async function startIn(path: string, values: ReturnType<typeof configure>) {
    const store = await LevelStore.open({
      directory: path,
      clock: systemClock,
      random: systemRandom,
      values,
      ballastBytes: 0,
    });
    const server = createApiServer(
      {
        store,
        clock: systemClock,
        random: systemRandom,
        log: silentLogger,
        metrics: silentMetrics,
        storedValues: values,
      },
      {},
    );
    const call = async (method: string, target: string, body?: unknown) => {
      const response = await server.handle({
        method,
        path: target,
        headers: { "content-type": "application/json" },
        ...(body === undefined ? {} : { body: Buffer.from(JSON.stringify(body)) }),
        identity: { name: "admin", groups: ["system:masters"] },
        signal: new AbortController().signal,
      });
      // oxlint-disable-next-line typescript/no-explicit-any -- tests read answers of any shape
      return { status: response.status, json: JSON.parse(Buffer.from(response.body as Uint8Array).toString()) as any };
    };
    return { store, call };
  }

  const secrets = "/api/v1/namespaces/default/secrets";
  const content = Buffer.from("plain-content-of-the-secret").toString("base64");

  async function diskHas(path: string, text: string): Promise<boolean> {
    const names = await readdir(join(path, "log"));
    const files = await Promise.all(
      names.map((name) => readFile(join(path, "log", name)).catch(() => Buffer.alloc(0))),
    );
    return files.some((file) => file.includes(text));
  }

  test("has no plain Secret on its disk and serves it; a change of keys rewrites it", async () => {
    const path = await directory();
    const first = await startIn(path, configure("secrets", provider("aescbc", ["old", 1])));
    await first.call("POST", "/api/v1/namespaces", { metadata: { name: "default" } });
    await first.call("POST", secrets, { metadata: { name: "s" }, data: { a: content } });
    expect((await first.call("GET", `${secrets}/s`)).json.data.a).toBe(content);
    await first.store.close();
    expect([await diskHas(path, content), await diskHas(path, "k8s:enc:aescbc:v1:old:")]).toEqual([false, true]);

    const second = await startIn(
      path,
      configure("secrets", provider("aesgcm", ["new", 2]), provider("aescbc", ["old", 1])),
    );
    const { json } = await second.call("GET", `${secrets}/s`);
    expect(json.data.a).toBe(content);
    const again = await second.call("PUT", `${secrets}/s`, json);
    expect(again.json.metadata.resourceVersion).not.toBe(json.metadata.resourceVersion);
    const unchanged = await second.call("PUT", `${secrets}/s`, again.json);
    expect(unchanged.json.metadata.resourceVersion).toBe(again.json.metadata.resourceVersion);
    await second.store.close();
    expect(await diskHas(path, "k8s:enc:aesgcm:v1:new:")).toBe(true);
  });

  test("does not start without a key, and names the object that it cannot decrypt", async () => {
    const path = await directory();
    const first = await startIn(path, configure("secrets", provider("secretbox", ["one", 1])));
    await first.call("POST", "/api/v1/namespaces", { metadata: { name: "default" } });
    await first.call("POST", secrets, { metadata: { name: "s" }, data: { a: content } });
    await first.store.close();
    const other = startIn(path, configure("secrets", provider("secretbox", ["two", 2]), identity));
    await expect(other).rejects.toThrow(ValueSealed);
    await expect(other).rejects.toThrow(
      /^core\/secrets\/default\/s, at revision \d+, cannot be read: no matching key was found/,
    );
  });

  test("exports snapshots as encrypted as its disk", async () => {
    const path = await directory();
    const values = configure("secrets", provider("aesgcm", ["one", 1]));
    const { store, call } = await startIn(path, values);
    await call("POST", "/api/v1/namespaces", { metadata: { name: "default" } });
    await call("POST", secrets, { metadata: { name: "s" }, data: { a: content } });
    const chunks: Uint8Array[] = [];
    for await (const chunk of exportSnapshot(store, values)) chunks.push(chunk);
    await store.close();
    const snapshot = Buffer.concat(chunks);
    expect([snapshot.includes(content), snapshot.includes("k8s:enc:aesgcm:v1:one:")]).toEqual([false, true]);
    const restored = await directory();
    const stream = (async function* () {
      yield snapshot;
    })();
    await restoreSnapshot({ directory: restored, random: systemRandom, snapshot: stream });
    const opened = await startIn(restored, values);
    expect((await opened.call("GET", `${secrets}/s`)).json.data.a).toBe(content);
    await opened.store.close();
  });
});
