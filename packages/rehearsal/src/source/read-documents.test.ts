import { describe, expect, test } from "vitest";
import { readDocuments } from "./read-documents.ts";
import { nodesFromFlag } from "./nodes-flag.ts";

const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "a" } };

describe("objects in text", () => {
  test("is kubectl's list, the API's typed list, objects after each other, or YAML", () => {
    const list = JSON.stringify({ apiVersion: "v1", kind: "List", items: [pod, pod] });
    expect(readDocuments(list, "f")).toEqual({ objects: [pod, pod], listed: [] });
    const typed = JSON.stringify({ apiVersion: "v1", kind: "PodList", items: [{ metadata: { name: "a" } }] });
    expect(readDocuments(typed, "f")).toEqual({ objects: [pod], listed: [{ apiVersion: "v1", kind: "Pod" }] });
    const several = `${JSON.stringify(pod)}\n${JSON.stringify({ apiVersion: "policy/v1", kind: "PodDisruptionBudgetList", items: [] })}`;
    expect(readDocuments(several, "f").listed).toEqual([{ apiVersion: "policy/v1", kind: "PodDisruptionBudget" }]);
    // `kubectl cluster-info dump` writes empty lists in this form.
    const empty = JSON.stringify({ apiVersion: "apps/v1", kind: "DaemonSetList", items: null });
    expect(readDocuments(empty, "f")).toEqual({ objects: [], listed: [{ apiVersion: "apps/v1", kind: "DaemonSet" }] });
    expect(readDocuments("kind: Pod\napiVersion: v1\nmetadata: {name: a}\n---\n# nothing\n", "f").objects).toEqual([
      pod,
    ]);
  });

  test("has rejected lists, with the reason", () => {
    const of = { apiVersion: "v1", kind: "Node" };
    const text = JSON.stringify({ apiVersion: "x/v1", kind: "RefusedList", of, because: "no" });
    expect(readDocuments(text, "f").listed).toEqual([{ ...of, refused: "no" }]);
  });

  test("is a record, which is complete up to a truncated last line", () => {
    const line = JSON.stringify({
      apiVersion: "rehearsal.kintsugi.dev/v1",
      kind: "Observed",
      at: "2026-01-01T00:00:00Z",
      is: "put",
      object: pod,
    });
    const { objects, observed } = readDocuments(`${JSON.stringify(pod)}\n${line}\n${line.slice(0, -9)}`, "f");
    expect(objects).toEqual([pod]);
    expect(observed).toEqual([{ atMs: 1_767_225_600_000, is: "put", object: pod }]);
    expect(() => readDocuments(`${line.replace("2026-01-01T00:00:00Z", "soon")}\n${line}`, "f")).toThrow(
      /a line of the record has no time or no object/,
    );
  });

  test.each([
    ["", /f is empty because the command that wrote it failed/],
    [
      JSON.stringify({ apiVersion: "v1", kind: "List", items: [pod] }).slice(0, -20),
      /f ends in the middle of an object: it was cut off/,
    ],
    ['{"a": x}', /f is not valid JSON/],
    ["a: [", /f is not valid YAML: .* at line 1, column 5$/],
    ["kind: List\napiVersion: v1", /f: a List has no list of items: write it again/],
    ["kind: List\napiVersion: v1\nitems: {a: 1}", /f: a List has no list of items: write it again/],
    [`- ${"- ".repeat(50_000)}x`, /f is not valid YAML: its lists or maps are nested more than 200 levels deep$/],
    ["[1]", /a document is a number, not an object of the API: give the output of kubectl/],
    ["{}", /f: an object has no "kind" or no "apiVersion": if the file was cut off, write it again/],
    [JSON.stringify([pod, { ...pod, kind: undefined }]), /the object named "a" has no "kind"/],
    ["items:\n- kind: Pod\n  apiVersion: v1", /an object with "items" has no "kind"/],
    ["kind: Pod", /f: a "Pod" has no "kind" or no "apiVersion"/],
    [
      "a: &a [x, x]\nb: &b [*a, *a, *a]\nc: &c [*b, *b, *b, *b]\nd: [*c, *c, *c, *c, *c]",
      /f is not valid YAML: its aliases expand to too many objects/,
    ],
    [
      [
        "a0: &a0 [x]",
        ...[1, 2, 3, 4, 5, 6, 7, 8].map(
          (n) =>
            `a${n}: &a${n} [${Array(9)
              .fill(`*a${n - 1}`)
              .join()}]`,
        ),
      ].join("\n"),
      /f is not valid YAML: its aliases expand to too many objects: write the objects without aliases$/,
    ],
    [
      `kind: A\napiVersion: v1\ntext: ${"x".repeat(9 * 1024 * 1024)}`,
      /9 MiB of YAML, and at most 8 MiB are read: write it as JSON/,
    ],
    [
      "kind: A\napiVersion: v1\nspec: {one: 1, two: 2, one: 3}",
      /f is not valid YAML: the key "one" occurs twice in a map/,
    ],
    ["kind: A\nkind: B", /the key "kind" occurs twice in a map/],
    [`a: &a x\nb: [${Array(101).fill("*a").join()}]`, /f is not valid YAML: it has more than 100 aliases/],
    ["kind: A\nname: {{ .Release.Name }}-x", /f is not valid YAML: .*it looks like a template.*helm template/],
    [`a: ${"[".repeat(100_000)}`, /f is not valid YAML: its lists or maps are nested more than 200 levels deep$/],
    [
      `a: ${"[".repeat(100_000)}${"]".repeat(100_000)}`,
      /f is not valid YAML: its lists or maps are nested more than 200 levels deep$/,
    ],
  ])("that cannot be parsed is rejected with one sentence: %#", (text, sentence) => {
    expect(() => readDocuments(text, "f")).toThrow(sentence);
  });
});

test("an untrusted YAML file with many keys or aliases is not parsed in quadratic time", () => {
  const took = (read: (text: string) => void, text: string) => {
    const before = process.cpuUsage();
    read(text);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1e6;
  };
  const lines = (line: (index: number) => string) => Array.from({ length: 20_000 }, (_, i) => line(i)).join("\n");
  // The library's own checks take 7 s and 15 s.
  const keys = `apiVersion: v1\nkind: ConfigMap\n${lines((index) => `k${index}: 1`)}`;
  expect(took((text) => void readDocuments(text, "f"), keys)).toBeLessThan(3);
  const aliases = lines((index) => `- &a${index} x\n- *a${index}`);
  const refuses = (text: string) => expect(() => readDocuments(text, "f")).toThrow(/more than 100 aliases/);
  expect(took(refuses, aliases)).toBeLessThan(3);
});

describe("--nodes", () => {
  test("describes nodes, spread over zones", () => {
    const nodes = nodesFromFlag("3x4cpu16Gi@a,b+1x8cpu64Gi");
    expect(nodes.map(({ metadata }) => (metadata as { labels: object }).labels)).toMatchObject([
      { "topology.kubernetes.io/zone": "a" },
      { "topology.kubernetes.io/zone": "b" },
      { "topology.kubernetes.io/zone": "a" },
      { "kubernetes.io/hostname": "node-4" },
    ]);
    expect(nodes[3]).toMatchObject({ status: { allocatable: { cpu: "8", memory: "64Gi" } } });
  });

  test.each(["3", "0x4cpu16Gi", "3x4cpu", "3x4cpu16Gi@A B", "2000x4cpu16Gi"])("rejects %s with an example", (text) => {
    expect(() => nodesFromFlag(text)).toThrow(/3x4cpu16Gi@a,b,c|more than 1000/);
  });
});
