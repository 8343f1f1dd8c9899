import { assertJsonBudget, countValues, jsonValuesMax } from "@kintsugi/api";
import { describe, expect, test } from "vitest";
import { aPod, podsPath, TestServer } from "../../testing/test-server.ts";
import { yamlLengthMax, yamlTokensMax } from "./body-limits.ts";
import { parseYamlBody } from "../yaml-body.ts";

const configMaps = "/api/v1/namespaces/default/configmaps";
const ownAccess = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
const nobody = { name: "nobody", groups: [] };

describe("JSON", () => {
  const items = (count: number) => `{"a":[${Array.from({ length: count }, () => "1").join(",")}]}`;

  test("with the maximum number of values is parsed, and with one more value it is rejected", () => {
    // The text itself, the object and the list also count.
    expect(assertJsonBudget(items(jsonValuesMax - 2))).toBe(jsonValuesMax);
    expect(() => assertJsonBudget(items(jsonValuesMax - 1))).toThrow("more than 20000 values");
  });

  test("may hold as many commas and brackets in its texts as fit", () => {
    const text = JSON.stringify({ script: '[{,\\"'.repeat(100_000) });
    expect(assertJsonBudget(text)).toBeLessThan(10);
  });

  test("is counted as the object that it represents", () => {
    const object = { a: [1, { b: {} }, "x,y"], c: null };
    expect(countValues(object)).toBe(10);
    expect(countValues(JSON.parse(items(100)))).toBe(103);
  });
});

describe("YAML", () => {
  test.each([
    ["a list of many numbers", `a: [${"1,".repeat(yamlTokensMax)}1]`, `more than ${yamlTokensMax} tokens`],
    ["nested lists", "[".repeat(5_000), "nested deeper than 64 levels"],
    ["nested dashes", "- ".repeat(4_000), "nested deeper than 64 levels"],
    ["a key that is a map, once", "? {a: 1}\n: 2", "a key of a map is a collection or an alias"],
    ["2 KB of keys that are maps, which take minutes to write out", "? ".repeat(40) + "a", "a key of a map"],
    ["an alias", "a: &x 1\nb: *x", "Alias resolution is disabled"],
    ["several documents", "a: 1\n---\nb: 2", "more than one document"],
    ["an error in its third line", "a: 1\nb: 2\nc: ]", "yaml: line 3: "],
    ["more text than is read", `a: "${"x".repeat(yamlLengthMax)}"`, "limit for YAML is 262144"],
  ])("that is %s is rejected", (_name, text, why) => {
    expect(() => parseYamlBody(text, "")).toThrow(why);
  });

  test("has only JSON values: other tags are ignored, and binary values are their text", () => {
    const text = 'a: !!binary "aGk="\nb: !!set {p, q}\nc: !!omap [x: 1]\nd: 2001-01-01\ne: !mine z';
    expect(parseYamlBody(text, "").value).toEqual({
      a: "hi",
      b: { p: null, q: null },
      c: [{ x: 1 }],
      d: "2001-01-01",
      e: "z",
    });
  });

  test("that is JSON may use all of JSON", async () => {
    await using server = await TestServer.start();
    const body = JSON.stringify({ metadata: { name: "big" }, data: { text: "x".repeat(900_000) } });
    expect((await server.post(configMaps, body, { contentType: "application/yaml" })).status).toBe(201);
  });

  test("that would take minutes is rejected from an unauthenticated caller", async () => {
    await using server = await TestServer.start();
    const options = { user: nobody, contentType: "application/yaml" };
    const answer = await server.post(ownAccess, `a: [${"1,".repeat(1_500_000)}1]`, options);
    expect(answer).toMatchObject({ status: 413, json: { reason: "RequestEntityTooLarge" } });
  });
});

describe("an object", () => {
  const data = (prefix: string) => Object.fromEntries(Array.from({ length: 4_000 }, (_, i) => [`${prefix}${i}`, "v"]));

  test("that is stored can be sent back with all its managedFields", async () => {
    await using server = await TestServer.start();
    const { json } = await server.post(configMaps, { metadata: { name: "a" }, data: data("k") });
    expect((await server.put(`${configMaps}/a`, { ...json, data: { ...json.data, k1: "w" } })).status).toBe(200);
  });

  test("does not grow beyond the limit by patches or applies", async () => {
    await using server = await TestServer.start();
    await server.post(configMaps, { metadata: { name: "a" }, data: data("k") });
    const patched = await server.patch(`${configMaps}/a`, { data: data("l") });
    expect(patched).toMatchObject({ status: 413, json: { message: expect.stringContaining("the object would hold") } });
    const applied = await server.patch(
      `${configMaps}/a?fieldManager=m`,
      { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: data("m") },
      { contentType: "application/apply-patch+yaml" },
    );
    expect(applied.status).toBe(413);
    expect(Object.keys((await server.get(`${configMaps}/a`)).json.data)).toHaveLength(4_000);
  });
});

describe("a refusal", () => {
  test("names a hundred of 4,000 faults and states that there may be more", async () => {
    await using server = await TestServer.start();
    const labels = Object.fromEntries(Array.from({ length: 4_000 }, (_, i) => [`-${i}`, "-"]));
    const { status, json, text } = await server.post(configMaps, { metadata: { name: "a", labels } });
    expect(status).toBe(422);
    expect(json.details.causes.length).toBeLessThanOrEqual(101);
    expect(json.details.causes.at(-1).message).toBe("there may be more faults, which are not listed");
    expect(json.message).toMatch(
      /^ConfigMap "a" is invalid: \[metadata\.labels: Invalid value: "-0": .*, there may be more faults, which are not listed\]$/,
    );
    expect(text.length).toBeLessThan(200_000);
  });

  test("shows the beginning of a value of a megabyte", async () => {
    await using server = await TestServer.start();
    const answer = await server.post(configMaps, { metadata: { name: "x".repeat(1_000_000) } });
    expect(answer.status).toBe(422);
    expect(answer.text.length).toBeLessThan(10_000);
    expect(answer.json.message).toContain("… (1000000 characters)");
  });

  test("does not repeat a list for each of its members", async () => {
    await using server = await TestServer.start();
    const owner = { apiVersion: "v1", kind: "Pod", name: "p", uid: "u", controller: true };
    const ownerReferences = Array.from({ length: 2_000 }, () => owner);
    const answer = await server.post(configMaps, { metadata: { name: "a", ownerReferences } });
    expect(answer.status).toBe(422);
    expect(answer.text.length).toBeLessThan(200_000);
  });

  test("explains a body of the wrong shape by its first wrong field", async () => {
    await using server = await TestServer.start();
    const containers = [{ name: "c", image: "i" }, ...Array.from({ length: 15_000 }, () => 1)];
    const { status, json } = await server.post(podsPath, { ...aPod("a"), spec: { containers } });
    expect(status).toBe(400);
    expect(json.message).toContain(
      "json: cannot unmarshal number into Go struct field PodSpec.spec.containers of type v1.Container",
    );
  });

  test("of a strict request does not repeat a long key with all its children, and warnings fit into a header", async () => {
    await using server = await TestServer.start();
    const unknown = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`${"k".repeat(2_000)}${i}`, 1]));
    const body = { metadata: { name: "a" }, ...unknown };
    const strict = await server.post(`${configMaps}?fieldValidation=Strict`, body);
    expect(strict.status).toBe(400);
    expect(strict.text.length).toBeLessThan(70_000);
    const warned = await server.post(configMaps, body);
    expect(warned.status).toBe(201);
    expect(warned.headers["warning"]?.length).toBeLessThan(5_000);
  });
});
