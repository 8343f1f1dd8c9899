import { expect, test } from "vitest";
import { credentialsFor, credentialsIn } from "./registry-credentials.ts";

const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64");
const auths = { "https://registry.example.com": { auth: Buffer.from("jane:a:b").toString("base64") } };
const jane = { username: "jane", password: "a:b" };

test.each([
  ["kubernetes.io/dockerconfigjson", { ".dockerconfigjson": base64({ auths }) }, [jane]],
  ["kubernetes.io/dockercfg", { ".dockercfg": base64(auths) }, [jane]],
  ["kubernetes.io/dockerconfigjson", { ".dockerconfigjson": base64({ auths: "none" }) }, []],
  ["kubernetes.io/dockerconfigjson", { ".dockerconfigjson": "not base64 of JSON" }, []],
  ["Opaque", {}, []],
])("a Secret of type %s is parsed into its credentials", (type, data, expected) => {
  expect(credentialsIn({ type, data }).map(({ auth }) => auth)).toEqual(expected);
});

test.each([
  ["registry.example.com/a:1", "registry.example.com", true],
  ["registry.example.com/a:1", "https://registry.example.com", true],
  ["registry.example.com/team/a", "registry.example.com/team", true],
  ["registry.example.com/other/a", "registry.example.com/team", false],
  ["registry.example.com:5000/a", "registry.example.com", false],
  ["registry.example.com:5000/a", "registry.example.com:5000", true],
  ["a.example.com/x", "*.example.com", true],
  ["a.b.example.com/x", "*.example.com", false],
  ["evil.com/registry.example.com/x", "registry.example.com", false],
  ["registry.example.com.evil.com/x", "registry.example.com", false],
  ["busybox", "https://index.docker.io/v1/", true],
  ["docker.io/library/busybox", "docker.io", true],
  ["busybox", "registry.example.com", false],
  ["localhost:5000/x", "localhost:5000", true],
])("to pull %s, the entry %s is used: %s", (image, serverAddress, expected) => {
  const [credential] = credentialsIn({
    type: "kubernetes.io/dockercfg",
    data: { ".dockercfg": base64({ [serverAddress]: { username: "u", password: "p" } }) },
  });
  expect(credentialsFor(image, credential ? [credential] : []).length === 1).toBe(expected);
});

test("the entry for a part of a registry precedes the entry for the whole registry", () => {
  const data = {
    ".dockercfg": base64({
      "r.example.com": { username: "all", password: "" },
      "r.example.com/team": { username: "team", password: "" },
    }),
  };
  const all = credentialsIn({ type: "kubernetes.io/dockercfg", data });
  expect(credentialsFor("r.example.com/team/a", all).map(({ username }) => username)).toEqual(["team", "all"]);
});
