import { describe, expect, test } from "vitest";
import {
  asPrefix,
  checkConfigKey,
  checkEnvironmentName,
  checkLabel1035,
  checkLabel1123,
  checkLabelValue,
  checkPathSegment,
  checkPortName,
  checkPortNumber,
  checkQualifiedName,
  checkSubdomain1123,
  type NameCheck,
} from "./names.ts";

const long = "a".repeat(64);

describe("valid names are accepted", () => {
  test.each<[string, NameCheck, string[]]>([
    ["a DNS label", checkLabel1123, ["a", "a-1", "0a", "a".repeat(63)]],
    ["a DNS subdomain", checkSubdomain1123, ["a", "a.b-c.0", "a".repeat(253)]],
    ["a Service", checkLabel1035, ["a", "web-1"]],
    ["a label value", checkLabelValue, ["", "A_b.c-1"]],
    ["a qualified name", checkQualifiedName, ["app", "A_b.c", "example.com/App"]],
    ["a config key", checkConfigKey, ["a.b", "A_b-c", ".hidden"]],
    ["a variable", checkEnvironmentName, ["PATH", "my.name", "1 2"]],
    ["a port name", checkPortName, ["http", "h2-c", "a".repeat(15)]],
    ["a role", checkPathSegment, ["system:node", "a b"]],
  ])("of %s", (_what, check, names) => {
    expect(names.flatMap(check)).toEqual([]);
  });
});

describe("invalid names are explained in upstream's words", () => {
  test.each<[string, NameCheck, string, string]>([
    [
      "upper case",
      checkLabel1123,
      "Web",
      "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
    ],
    ["too long", checkLabel1123, long, "must be no more than 63 characters"],
    [
      "a leading digit",
      checkLabel1035,
      "1a",
      "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
    ],
    [
      "two slashes",
      checkQualifiedName,
      "a/b/c",
      "a qualified name must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')",
    ],
    ["no prefix", checkQualifiedName, "/a", "prefix part must be non-empty"],
    ["a long name part", checkQualifiedName, `x/${long}`, "name part must be no more than 63 characters"],
    ["leading dots", checkConfigKey, "..a", "must not start with '..'"],
    ["the directory itself", checkConfigKey, ".", "must not be '.'"],
    [
      "an equals sign",
      checkEnvironmentName,
      "A=B",
      "a valid environment variable name must consist only of printable ASCII characters other than '=' (e.g. 'my-name',  or 'MY_NAME',  or 'MyName', regex used for validation is '[ -<>-~]+')",
    ],
    ["no letter", checkPortName, "80", "must contain at least one letter (a-z)"],
    ["two hyphens", checkPortName, "a--b", "must not contain consecutive hyphens"],
    ["a slash", checkPathSegment, "a/b", "may not contain '/'"],
    ["the parent directory", checkPathSegment, "..", "may not be '..'"],
    ["a name that is too long for a path", checkPathSegment, "a".repeat(1025), "must be no more than 1024 characters"],
  ])("%s", (_what, check, name, expected) => {
    expect(check(name)).toContain(expected);
  });

  test("an empty name part has two faults, as upstream counts", () => {
    expect(checkQualifiedName("a/")).toHaveLength(2);
  });
});

test("a prefix may end with characters that a name may not end with", () => {
  expect(checkSubdomain1123("web-")).not.toEqual([]);
  expect(asPrefix(checkSubdomain1123)("web-")).toEqual([]);
});

test("ports are 1 to 65535", () => {
  expect([0, 1, 65_535, 65_536].map((port) => checkPortNumber(port).length)).toEqual([1, 0, 0, 1]);
});
