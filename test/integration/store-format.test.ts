import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { LevelStore } from "@kintsugi/store";
import { dataOf, putData } from "@kintsugi/store/testing";
import { afterAll, expect, test } from "vitest";

const directory = mkdtempSync(join(tmpdir(), "kintsugi-format-"));
afterAll(() => rmSync(directory, { recursive: true }));

const open = (at: string) =>
  LevelStore.open({ directory: at, clock: systemClock, random: systemRandom, ballastBytes: 0 });

/** A copy of the data directory of the first release. */
function ofFirstRelease(name: string): string {
  const copy = join(directory, name);
  cpSync(join(import.meta.dirname, "fixtures/store-format-1"), copy, { recursive: true });
  return copy;
}

test("a data directory of the first release is opened with all its contents and continues to be written", async () => {
  const at = ofFirstRelease("opened");
  let store = await open(at);
  expect([store.revision(), store.count("")]).toEqual([32, 20]);
  expect(store.clusterId).toBe("a00087fb-f747-4cb8-adfe-747d23673f27");
  expect(dataOf(store.find("core/configmaps/default/c3"))).toBe("second of 3");
  expect(dataOf(store.find("core/configmaps/default/c15"))).toBe("first of 15");
  expect(store.find("core/configmaps/default/c19")).toBeUndefined();
  expect(dataOf(store.find("apps/replicasets/default/late"))).toBe("after the compaction");
  await putData(store, "core/configmaps/default/new", "by a later release");
  await store.scrub();
  await store.close();
  store = await open(at);
  expect([store.revision(), dataOf(store.find("core/configmaps/default/new"))]).toEqual([33, "by a later release"]);
  await store.close();
});

test.each([
  [2, "the store has format 2, and this version of Kintsugi supports format 1: a newer version wrote it"],
  [
    0,
    "the store has format 0, and this version of Kintsugi supports format 1: start the last version that supports both",
  ],
])("a data directory of format %d is rejected with a sentence", async (format, sentence) => {
  const at = ofFirstRelease(`refused-${format}`);
  const head = readFileSync(join(at, "HEAD"), "latin1").replaceAll("kintsugi-store 1 ", `kintsugi-store ${format} `);
  writeFileSync(join(at, "HEAD"), head, "latin1");
  await expect(open(at)).rejects.toThrow(sentence);
});
