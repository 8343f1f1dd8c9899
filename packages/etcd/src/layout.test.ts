import { describe, expect, test } from "vitest";
import { readEtcdEndpoints } from "./etcd-client.ts";
import {
  decodeDeletedValue,
  decodeHead,
  decodeObjectValue,
  encodeDeletedValue,
  encodeHead,
  encodeObjectValue,
  Layout,
} from "./layout.ts";

const head = { clusterId: "c", historyId: "h", historyStart: 0, revision: 7, nonce: "n" };
const index = { uid: "u", labels: { a: "é\n" } };

test("a head is decoded as it was encoded, and its bytes do not depend on the order of its fields", () => {
  const { nonce, ...rest } = head;
  expect(decodeHead(encodeHead(head))).toEqual(head);
  expect(encodeHead({ nonce, ...rest }).equals(encodeHead(head))).toBe(true);
});

test.each([
  ["mine", "is not Kintsugi's"],
  ["{}", "is not Kintsugi's"],
  ['{"format":2,"revision":1}', "has format 2, and this version reads 1"],
])("the head %j is rejected", (text, why) => {
  expect(() => decodeHead(Buffer.from(text))).toThrow(why);
});

test("objects and final states are decoded as they were encoded", () => {
  const value = Buffer.from('{"kind":"Pod"}\n{"more":1}');
  const change = { type: "put" as const, key: "core/pods/a/ü", revision: 12, value, index };
  const { type: _, ...entry } = change;
  expect(decodeObjectValue(entry.key, encodeObjectValue(change))).toEqual(entry);
  expect(decodeDeletedValue(12, encodeDeletedValue({ ...change, type: "delete" }))).toEqual(entry);
  expect(() => decodeObjectValue("k", Buffer.from("torn"))).toThrow("differs from the written value");
});

test("every key of the log is under its prefix, and names its form", () => {
  const layout = new Layout("/kintsugi/lab/");
  const { all } = layout;
  for (const [key, form] of [
    [layout.head, "head"],
    [layout.object("core/pods/a/b"), "o"],
    [layout.deleted(7), "x"],
    [layout.mark(1_795_222_311_552), "t"],
  ] as const) {
    expect([layout.parse(key).form, Buffer.compare(key, all.key) > 0, Buffer.compare(key, all.rangeEnd) < 0]).toEqual([
      form,
      true,
      true,
    ]);
  }
  expect(layout.parse(layout.object("core/pods/a/b")).name).toBe("core/pods/a/b");
  expect(layout.parse(Buffer.from("/kintsugi/lab/other")).form).toBeUndefined();
});

describe("the addresses of an etcd", () => {
  test("are hosts and ports of URLs", () => {
    expect(readEtcdEndpoints(["https://192.0.2.1:2379", "https://etcd.example"])).toEqual({
      endpoints: ["192.0.2.1:2379", "etcd.example:443"],
      isSecure: true,
    });
  });

  test.each([
    [["192.0.2.1:2379"], "is not a URL like"],
    [["unix:///run/etcd"], "is not a URL like"],
    [["https://a:1", "http://b:1"], "must all be http or all be https"],
  ])("%j are rejected", (urls, why) => {
    expect(() => readEtcdEndpoints(urls)).toThrow(why);
  });
});
