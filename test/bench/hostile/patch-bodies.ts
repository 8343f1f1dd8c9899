import { configMaps, filled, type HostileRequest, many, ownAccess, pods } from "./hostile-request.ts";

const victim: HostileRequest = {
  name: "what patches are for",
  method: "POST",
  path: configMaps,
  as: "admin",
  body: () =>
    JSON.stringify({
      metadata: { name: "victim", finalizers: Array.from({ length: 2_000 }, (_, i) => `example.com/f${i}`) },
      data: Object.fromEntries(Array.from({ length: 2_000 }, (_, i) => [`k${i}`, "v"])),
    }),
};
const victimPod: HostileRequest = {
  name: "a pod for patches",
  method: "POST",
  path: pods,
  as: "admin",
  body: () =>
    JSON.stringify({
      metadata: { name: "victim" },
      spec: {
        containers: [
          { name: "c", image: "i", env: Array.from({ length: 1_000 }, (_, i) => ({ name: `V${i}`, value: "v" })) },
        ],
      },
    }),
};

const types = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  apply: "application/apply-patch+yaml",
};

function patch(what: string, type: keyof typeof types, body: () => unknown): HostileRequest {
  const path = `${configMaps}/victim${type === "apply" ? "?fieldManager=hostile&force=true" : ""}`;
  return {
    name: `PATCH, ${type}: ${what}`,
    method: "PATCH",
    path,
    contentType: types[type],
    as: "admin",
    needs: victim,
    body: () => JSON.stringify(body()),
  };
}

function list<T>(count: number, item: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => item(index));
}

const bigObject = () => Object.fromEntries(list(20_000, (i) => [`k${i}`, "v"]));

export const patchBodies: readonly HostileRequest[] = [
  patch("10,000 insertions at the front", "json", () =>
    list(10_000, (i) => ({ op: "add", path: "/metadata/finalizers/0", value: `e.com/x${i}` })),
  ),
  patch("10,000 moves of everything", "json", () =>
    list(10_000, (i) => ({ op: "move", from: i % 2 ? "/b" : "/data", path: i % 2 ? "/data" : "/b" })),
  ),
  patch("9,999 tests of everything", "json", () =>
    list(9_999, () => ({ op: "test", path: "/data", value: Object.fromEntries(list(10, (i) => [`k${i}`, "v"])) })),
  ),
  patch("tests of a value that was added", "json", () => [
    { op: "add", path: "/data", value: bigObject() },
    { op: "copy", from: "/data", path: "/x" },
    { op: "copy", from: "/data", path: "/y" },
    ...list(9_000, () => ({ op: "copy", from: "/metadata/labels", path: "/z" })),
  ]),
  patch("copies that grow", "json", () => [
    { op: "add", path: "/a", value: list(1_000, () => "x") },
    ...list(9_000, () => ({ op: "copy", from: "/a", path: "/a/0" })),
  ]),
  patch("a long path", "json", () => [{ op: "add", path: filled("/a", 2_000_000), value: 1 }]),
  patch("10,000 removals", "json", () => list(10_000, (i) => ({ op: "remove", path: `/data/k${i}` }))),
  patch("values of 100,000 items", "json", () => [
    { op: "add", path: "/data", value: Object.fromEntries(list(150_000, (i) => [`k${i}`, "v"])) },
  ]),
  patch("200,000 keys", "merge", () => ({ data: Object.fromEntries(list(200_000, (i) => [`k${i}`, "v"])) })),
  patch("60 levels of wide maps", "merge", () =>
    list(60, (i) => i).reduce<object>(
      (inner, i) => ({ ...Object.fromEntries(list(500, (j) => [`k${i}-${j}`, "v"])), a: inner }),
      {},
    ),
  ),
  patch("100,000 finalizers", "strategic", () => ({ metadata: { finalizers: list(100_000, (i) => `e.com/x${i}`) } })),
  patch("an order of 100,000", "strategic", () => ({
    metadata: {
      finalizers: list(60_000, (i) => `e.com/x${i}`),
      "$setElementOrder/finalizers": list(60_000, (i) => `e.com/x${i}`),
    },
  })),
  patch("60,000 deletions", "strategic", () => ({
    metadata: { "$deleteFromPrimitiveList/finalizers": list(100_000, (i) => `e.com/x${i}`) },
  })),
  {
    ...patch("20,000 variables to merge", "strategic", () => ({
      spec: { containers: [{ name: "c", env: list(50_000, (i) => ({ name: `V${i}`, value: "v" })) }] },
    })),
    path: `${pods}/victim`,
    needs: victimPod,
  },
  {
    ...patch("20,000 variables to delete", "strategic", () => ({
      spec: { containers: [{ name: "c", env: list(50_000, (i) => ({ name: `V${i}`, $patch: "delete" })) }] },
    })),
    path: `${pods}/victim`,
    needs: victimPod,
  },
  patch("200,000 fields", "apply", () => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "victim" },
    data: Object.fromEntries(list(150_000, (i) => [`k${i}`, "v"])),
  })),
  patch("conflicts in 2,000 fields", "apply", () => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "victim" },
    data: Object.fromEntries(list(2_000, (i) => [`k${i}`, "w"])),
  })),
];

const selector = (text: string, kind: "label" | "field") => `${pods}?${kind}Selector=${encodeURIComponent(text)}`;
const get = (what: string, path: string): HostileRequest => ({
  name: `GET: ${what}`,
  method: "GET",
  path,
  as: "admin",
});

export const queries: readonly HostileRequest[] = [
  get(
    "a label selector of 100 KB",
    selector(
      many(20_000, (i) => `a${i}`),
      "label",
    ),
  ),
  get("a set of 20,000 values", selector(`a in (${many(20_000, (i) => `a${i}`)})`, "label")),
  get("a label of 200 KB", selector("a".repeat(200_000), "label")),
  get("a label of 100,000 parts", selector(`${"a.".repeat(100_000)}/b`, "label")),
  get(
    "a field selector of 100 KB",
    selector(
      many(5_000, () => "metadata.name=a"),
      "field",
    ),
  ),
  get("a field of 200 KB", selector(`${"a".repeat(200_000)}`, "field")),
  get("a field selector of backslashes", selector("\\a".repeat(100_000), "field")),
  get("a value of backslashes", selector(`metadata.name=${"\\\\".repeat(50_000)}a`, "field")),
  get("a query of 60,000 parameters", `${pods}?${many(60_000, () => "a=b", "&")}`),
  get(
    "a continue token of the future",
    `${pods}?continue=${Buffer.from('{"v":"meta.k8s.io/v1","rv":999999999999,"start":"core/pods/default/a"}').toString("base64url")}`,
  ),
  get("a continue token of 200 KB", `${pods}?continue=${"a".repeat(200_000)}`),
  {
    name: "POST: what may I do",
    method: "POST",
    path: "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews",
    body: () => '{"spec":{"namespace":"default"}}',
  },
  {
    name: "POST: a name of 200 KB that is asked about",
    method: "POST",
    path: ownAccess,
    body: () => JSON.stringify({ spec: { resourceAttributes: { verb: "get", resource: "a".repeat(200_000) } } }),
  },
];
