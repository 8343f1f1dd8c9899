import { SeededRandom } from "@kintsugi/clock/simulated";
import { expect, test } from "vitest";
import { TestServer } from "../testing/test-server.ts";
import { encryptedValues } from "./encrypted-values.ts";
import { parseEncryptionConfig } from "./encryption-config.ts";
import { ReloadedValues } from "./reloaded-values.ts";

const secretOf = (byte: number) => Buffer.alloc(32, byte).toString("base64");
const bytesOf: Readonly<Record<string, number>> = { old: 1, new: 2 };

function keyed(...names: string[]) {
  const keys = names.map((name) => `{ name: ${name}, secret: ${secretOf(bytesOf[name] ?? 0)} }`).join(", ");
  const text = `apiVersion: apiserver.config.k8s.io/v1
kind: EncryptionConfiguration
resources: [{ resources: [secrets], providers: [{ aesgcm: { keys: [${keys}] } }] }]`;
  return encryptedValues(parseEncryptionConfig(text, "encryption.yaml"), new SeededRandom(1));
}

const key = "core/secrets/default/s";

test("after a reload new values use the new key, and old values are readable as long as their key exists", () => {
  const values = new ReloadedValues(keyed("old"));
  const sealed = values.seal(key, Buffer.from("x"));
  values.replace(keyed("new", "old"), 7);
  expect(values.open(key, sealed)).toMatchObject({ stale: true });
  expect(Buffer.from(values.seal(key, Buffer.from("x"))).toString("latin1")).toMatch(/^k8s:enc:aesgcm:v1:new:/);
  values.replace(keyed("new"), 9);
  expect(() => values.open(key, sealed)).toThrow("no matching key was found for the provided transformer");
});

test("an entry's revision shows whether it would be encrypted differently now", () => {
  const values = new ReloadedValues(keyed("old"));
  const otherwise = (revision: number, of = key) => values.isSealedOtherwise({ key: of, revision });
  expect(otherwise(5)).toBe(false);
  values.replace(keyed("old", "new"), 5);
  expect(otherwise(5)).toBe(false);
  values.replace(keyed("new", "old"), 8);
  expect([otherwise(5), otherwise(8), otherwise(9)]).toEqual([true, true, false]);
  // Resources that are not encrypted are unchanged.
  expect(otherwise(5, "core/configmaps/default/s")).toBe(false);
  values.replace(keyed("old", "new"), 10);
  expect([otherwise(5), otherwise(9), otherwise(11)]).toEqual([false, true, false]);
  for (let count = 0; count < 100; count++) values.replace(keyed("old", "new"), 11 + count);
  expect([otherwise(5), otherwise(110)]).toEqual([true, false]);
});

test("a write of the present value rewrites it once after a reload", async () => {
  const storedValues = new ReloadedValues(keyed("old"));
  await using server = await TestServer.start({}, { storedValues });
  const secrets = "/api/v1/namespaces/default/secrets";
  const { json: made } = await server.post(secrets, { metadata: { name: "s" }, stringData: { a: "b" } });
  const again = async () => {
    const { json: secret } = await server.get(`${secrets}/s`);
    return (await server.put(`${secrets}/s`, secret)).json.metadata.resourceVersion as string;
  };
  expect(await again()).toBe(made.metadata.resourceVersion);
  storedValues.replace(keyed("new", "old"), server.store.revision());
  const rewritten = await again();
  expect(Number(rewritten)).toBeGreaterThan(Number(made.metadata.resourceVersion));
  expect(await again()).toBe(rewritten);
});
