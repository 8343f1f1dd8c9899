import * as nodeCrypto from "node:crypto";
import * as nodeNet from "node:net";
import * as nodePath from "node:path";
import { isDeepStrictEqual as nodeEqual } from "node:util";
import { expect, test } from "vitest";
import * as ownCrypto from "./crypto.ts";
import { isIP } from "./net.ts";
import { basename, dirname, extname, isAbsolute, join, normalize, relative, resolve } from "./path.ts";
import { isDeepStrictEqual } from "./util.ts";

test.each(["sha1", "sha256", "sha512"])("%s equals Node.js's result, in each encoding and of a copy", (algorithm) => {
  for (const encoding of ["hex", "base64", "base64url"] as const) {
    const own = ownCrypto
      .createHash(algorithm)
      .update("kintsugi ")
      .update(new Uint8Array([1, 255]));
    const node = nodeCrypto
      .createHash(algorithm)
      .update("kintsugi ")
      .update(new Uint8Array([1, 255]));
    expect(own.copy().update("x").digest(encoding)).toBe(node.copy().update("x").digest(encoding));
    expect(own.digest(encoding)).toBe(node.digest(encoding));
  }
  expect(ownCrypto.hash(algorithm, "a")).toBe(nodeCrypto.hash(algorithm, "a"));
});

test.each(["", ".", "/", "a", "a/", "/a/b/../c", "../a", "a/../..", "//a//b/", "/a.b/c.tar.gz", ".hidden", "/.."])(
  "the path %j is parsed as in Node.js",
  (path) => {
    expect(normalize(path)).toBe(nodePath.normalize(path));
    expect(dirname(path)).toBe(nodePath.dirname(path));
    expect(basename(path, ".gz")).toBe(nodePath.basename(path, ".gz"));
    expect(extname(path)).toBe(nodePath.extname(path));
    expect(isAbsolute(path)).toBe(nodePath.isAbsolute(path));
    expect(join("x", path, "../y")).toBe(nodePath.join("x", path, "../y"));
    expect(resolve("/z", path)).toBe(nodePath.resolve("/z", path));
    expect(relative("/a/b", resolve("/a", path))).toBe(nodePath.relative("/a/b", nodePath.resolve("/a", path)));
  },
);

test.each([
  "10.0.0.1",
  "256.0.0.1",
  "1.2.3",
  "01.2.3.4",
  "1.2.3.4.",
  "::1",
  "fd00::1:2",
  "::ffff:1.2.3.4",
  ":::",
  "a",
  "",
  "1:2",
])("the address %j is parsed as in Node.js", (text) => expect(isIP(text)).toBe(nodeNet.isIP(text)));

test.each([
  [{ a: [1, { b: undefined }] }, { a: [1, { b: undefined }] }],
  [{ a: undefined }, {}],
  [
    { a: 1, b: 2 },
    { b: 2, a: 1 },
  ],
  [[1, 2], [1]],
  [[], {}],
  [Number.NaN, Number.NaN],
  [0, -0],
  [new Map([["a", { b: 1 }]]), new Map([["a", { b: 1 }]])],
  [new Set([1]), new Set([2])],
  [new Uint8Array([1]), new Uint8Array([1])],
  [null, {}],
  ["a", "b"],
])("%j and %j are equal as in Node.js", (one, other) => {
  expect(isDeepStrictEqual(one, other)).toBe(nodeEqual(one, other));
});
