import { describe, expect, test } from "vitest";
import { compileJsonPath } from "./json-path.ts";

const object = {
  metadata: { name: "a", annotations: { "example.com/key": "v" } },
  spec: {
    ports: [
      { name: "http", port: 80 },
      { name: "https", port: 443 },
    ],
    empty: [],
  },
  status: {
    conditions: [
      { type: "Ready", status: "True" },
      { type: "Other", status: "False" },
    ],
  },
};

describe("a path leads to values", () => {
  test.each<[string, unknown[]]>([
    [".metadata.name", ["a"]],
    [".metadata.missing", []],
    [".spec.ports[0].port", [80]],
    [".spec.ports[-1].name", ["https"]],
    [".spec.ports[*].name", ["http", "https"]],
    [".spec.ports[0:1].name", ["http"]],
    [".spec.empty[0]", []],
    ['.status.conditions[?(@.type=="Ready")].status', ["True"]],
    [".status.conditions[?(@.type=='Other')].status", ["False"]],
    [".spec.ports[?(@.port>100)].name", ["https"]],
    [".spec.ports[?(@.port)].name", ["http", "https"]],
    [".metadata.annotations.example\\.com/key", ["v"]],
    [".metadata.annotations['example.com/key']", ["v"]],
    ["..port", [80, 443]],
    [".constructor", []],
    [".__proto__", []],
    [".metadata.name.length", []],
  ])("%s", (path, expected) => {
    expect(compileJsonPath(path).find(object)).toEqual(expected);
  });
});

describe("an invalid path is rejected", () => {
  test.each([
    ["a", "unrecognized character"],
    [".a[", "unterminated array"],
    [".a[x]", "invalid array index"],
    [".a[?(b)]", "unrecognized filter"],
    [".a..[?(@.b==c)]", "unrecognized value"],
    [`.${"a".repeat(2000)}`, "path is longer"],
  ])("%s", (path, why) => {
    expect(() => compileJsonPath(path)).toThrow(why);
  });
});
