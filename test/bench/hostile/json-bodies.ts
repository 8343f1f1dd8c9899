import { bodyBytes, configMaps, filled, type HostileRequest, many, ownAccess, pods } from "./hostile-request.ts";

const rbac = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
const deployments = "/apis/apps/v1/namespaces/default/deployments";

/** The forms of JSON before its kind is read. */
const shapes: readonly HostileRequest[] = [
  json("nested lists", () => `{"spec":${filled("[", bodyBytes - 20)}`),
  json("a list of 1.5 million numbers", () => `{"spec":{"x":[${filled("1,", bodyBytes - 30)}1]}}`),
  json("a list of a million empty objects", () => `{"spec":{"x":[${filled("{},", bodyBytes - 30)}{}]}}`),
  json("200,000 unknown keys", () => `{"spec":{${many(200_000, (i) => `"k${i}":1`)}}}`),
  json("a number of 3 million digits", () => `{"spec":{"x":${filled("9", bodyBytes - 30)}}}`),
  json("one long text", () => `{"spec":{"x":"${filled("x", bodyBytes - 30)}"}}`),
  json("one long text of escapes", () => `{"spec":{"x":"${filled("\\u0041", bodyBytes - 30)}"}}`),
  json(
    "a long name that is asked about",
    () => `{"spec":{"resourceAttributes":{"name":"${filled("x", bodyBytes - 60)}"}}}`,
  ),
  {
    ...json("one key 300,000 times, to be looked at strictly", () => `{"spec":{${many(300_000, () => '"a":1')}}}`),
    path: `${ownAccess}?fieldValidation=Strict`,
  },
  {
    ...json("a long text, to be looked at strictly", () => `{"spec":{"x":"${filled("\\\\", bodyBytes - 30)}"}}`),
    path: `${ownAccess}?fieldValidation=Strict`,
  },
  {
    ...json("a long key above 20,000 unknown ones", () => {
      const key = filled("x", 1_000_000);
      return `{"spec":{"resourceAttributes":{"fieldSelector":{"requirements":[{"${key}":1},${many(20_000, (i) => `{"k${i}":1}`)}]}}}}`;
    }),
    path: `${ownAccess}?fieldValidation=Strict`,
  },
];

function json(what: string, body: () => string): HostileRequest {
  return { name: `JSON: ${what}`, method: "POST", path: ownAccess, body };
}

function post(what: string, path: string, body: () => unknown): HostileRequest {
  return { name: `POST: ${what}`, method: "POST", path, as: "admin", body: () => JSON.stringify(body()) };
}

function record(count: number, entry: (index: number) => [string, string]): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => entry(index)));
}

function list<T>(count: number, item: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => item(index));
}

const configMap = (metadata: object, data: object = {}) => ({ metadata: { name: "hostile", ...metadata }, data });
const pod = (spec: object, container: object = {}, name = "hostile") => ({
  metadata: { name },
  spec: { containers: [{ name: "c", image: "i", ...container }], ...spec },
});

/** Objects of a kind, invalid in as many places as fit. */
const objects: readonly HostileRequest[] = [
  post("200,000 bad labels", configMaps, () => configMap({ labels: record(200_000, (i) => [`-${i}`, "-"]) })),
  post("200,000 good labels", configMaps, () => configMap({ labels: record(180_000, (i) => [`a${i}`, "v"]) })),
  post("annotations of 3 MB", configMaps, () =>
    configMap({ annotations: record(100_000, (i) => [`a${i}`, "vvvvvvvvvvvv"]) }),
  ),
  post("225,000 pairs of matchLabels", deployments, () => ({
    metadata: { name: "hostile" },
    spec: { selector: { matchLabels: record(200_000, (i) => [`-${i}`, "-"]) }, template: pod({}) },
  })),
  post("a name of 3 MB", configMaps, () => configMap({ name: filled("a.", bodyBytes - 100) })),
  post("labels with long values", configMaps, () =>
    configMap({ labels: record(30, (i) => [`a${i}`, filled("a", 90_000)]) }),
  ),
  post("20,000 finalizers", configMaps, () => configMap({ finalizers: list(100_000, (i) => `x${i}`) })),
  post("20,000 controllers", configMaps, () =>
    configMap({
      ownerReferences: list(20_000, (i) => ({
        apiVersion: "v1",
        kind: "Pod",
        name: `p${i}`,
        uid: `${i}`,
        controller: true,
      })),
    }),
  ),
  post("100,000 entries of managedFields", configMaps, () =>
    configMap({ managedFields: list(60_000, () => ({ manager: "m", operation: "Update" })) }),
  ),
  post("managedFields of 200,000 fields", configMaps, () =>
    configMap({
      managedFields: [
        {
          manager: "m",
          operation: "Update",
          apiVersion: "v1",
          fieldsType: "FieldsV1",
          fieldsV1: { "f:data": Object.fromEntries(list(180_000, (i) => [`f:k${i}`, {}])) },
        },
      ],
    }),
  ),
  post("data of 200,000 keys", configMaps, () =>
    configMap(
      {},
      record(200_000, (i) => [`k${i}`, "v"]),
    ),
  ),
  post("data of 200,000 bad keys", configMaps, () =>
    configMap(
      {},
      record(200_000, (i) => [`/${i}`, "v"]),
    ),
  ),
  post("a secret of 3 MB", "/api/v1/namespaces/default/secrets", () => ({
    metadata: { name: "hostile" },
    data: { a: filled("AAAA", bodyBytes - 100) },
  })),
  post("a quantity of 3 million digits", pods, () =>
    pod({}, { resources: { requests: { cpu: filled("9", bodyBytes - 200) } } }),
  ),
  post("40,000 quantities", pods, () =>
    pod({}, { resources: { requests: record(40_000, (i) => [`a.b/${i}`, `1.${"1".repeat(40)}`]) } }),
  ),
  post("a quantity of 3 MB of blanks", pods, () =>
    pod({}, { resources: { requests: { cpu: `1${filled(" ", bodyBytes - 200)}x` } } }),
  ),
  post("a time of 3 MB", pods, () => ({ ...pod({}), status: { startTime: filled("2", bodyBytes - 200) } })),
  post("400,000 containers that are numbers", pods, () => ({
    metadata: { name: "hostile" },
    spec: { containers: list(1_400_000, () => 1) },
  })),
  post("50,000 containers", pods, () => ({
    metadata: { name: "hostile" },
    spec: { containers: list(60_000, (i) => ({ name: `c${i}`, image: "i" })) },
  })),
  post("50,000 variables", pods, () => pod({}, { env: list(80_000, (i) => ({ name: `V${i}`, value: "$(V1)" })) })),
  post("30,000 volumes and mounts", pods, () =>
    pod(
      { volumes: list(30_000, (i) => ({ name: `v${i}`, emptyDir: {} })) },
      { volumeMounts: list(30_000, (i) => ({ name: `v${30_000 - i}`, mountPath: `/${i}` })) },
    ),
  ),
  post("60,000 ports", pods, () =>
    pod({}, { ports: list(60_000, (i) => ({ name: `p${i}`, containerPort: (i % 60_000) + 1 })) }),
  ),
  post("50,000 tolerations", pods, () =>
    pod({ tolerations: list(50_000, (i) => ({ key: `k${i}`, operator: "Exists" })) }),
  ),
  post("30,000 terms of affinity", pods, () =>
    pod({
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: list(30_000, (i) => ({
              matchExpressions: [{ key: `k${i}`, operator: "In", values: ["v"] }],
            })),
          },
        },
      },
    }),
  ),
  post("40,000 ports of a Service", "/api/v1/namespaces/default/services", () => ({
    metadata: { name: "hostile" },
    spec: { ports: list(60_000, (i) => ({ name: `p${i}`, port: (i % 65_535) + 1 })) },
  })),
  post("an EndpointSlice of 60,000 endpoints", "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices", () => ({
    metadata: { name: "hostile" },
    addressType: "IPv4",
    endpoints: list(60_000, (i) => ({ addresses: [`10.${(i >> 16) & 255}.${(i >> 8) & 255}.${i & 255}`] })),
  })),
  post("a role of 100,000 rules", rbac, () => ({
    metadata: { name: "hostile" },
    rules: list(40_000, () => ({ verbs: ["get"], apiGroups: [""], resources: ["pods"] })),
  })),
  post("a role of 300,000 verbs", rbac, () => ({
    metadata: { name: "hostile" },
    rules: [{ verbs: list(300_000, (i) => `v${i}`), apiGroups: [""], resources: ["pods"] }],
  })),
  post("an access review of 200,000 groups", "/apis/authorization.k8s.io/v1/subjectaccessreviews", () => ({
    spec: { user: "u", groups: list(250_000, (i) => `g${i}`), resourceAttributes: { verb: "get", resource: "pods" } },
  })),
  {
    ...post("DeleteOptions of 500,000 stages", `${configMaps}/none`, () => ({
      kind: "DeleteOptions",
      apiVersion: "v1",
      dryRun: list(500_000, () => "a"),
    })),
    method: "DELETE",
  },
];

/** The most expensive objects within all limits of bodies: just under 20,000 values. */
const full: readonly HostileRequest[] = [
  post("labels, as many as are read", configMaps, () =>
    configMap({ name: "full-labels", labels: record(19_000, (i) => [`example.com/a${i}`, "v"]) }),
  ),
  post("data, as much as is read", configMaps, () =>
    configMap(
      { name: "full-data" },
      record(19_000, (i) => [`k${i}`, "v"]),
    ),
  ),
  post("finalizers, as many as are read", configMaps, () =>
    configMap({ name: "full-finalizers", finalizers: list(19_000, (i) => `example.com/${i}`) }),
  ),
  post("controllers, as many as are read", configMaps, () =>
    configMap({
      name: "full-owners",
      ownerReferences: list(3_200, (i) => ({ apiVersion: "v1", kind: "Pod", name: `p${i}`, uid: `${i}` })),
    }),
  ),
  post("managedFields, as many as are read", configMaps, () =>
    configMap({
      name: "full-managed",
      managedFields: [
        {
          manager: "m",
          operation: "Update",
          apiVersion: "v1",
          fieldsType: "FieldsV1",
          fieldsV1: { "f:data": Object.fromEntries(list(9_500, (i) => [`f:k${i}`, {}])) },
        },
      ],
    }),
  ),
  post("containers, as many as are read", pods, () => ({
    metadata: { name: "full-containers" },
    spec: { containers: list(6_000, (i) => ({ name: `c${i}`, image: "i" })) },
  })),
  post("quantities, as many as are read", pods, () =>
    pod({}, { resources: { limits: record(19_000, (i) => [`a.b/${i}`, "1111111111.1111111111"]) } }, "full-quantities"),
  ),
  post("variables, as many as are read", pods, () =>
    pod({}, { env: list(6_000, (i) => ({ name: `V${i}`, value: "$(V1)" })) }, "full-env"),
  ),
  post("volumes and mounts, as many as are read", pods, () =>
    pod(
      { volumes: list(2_600, (i) => ({ name: `v${i}`, emptyDir: {} })) },
      { volumeMounts: list(2_600, (i) => ({ name: `v${2_599 - i}`, mountPath: `/${i}` })) },
      "full-volumes",
    ),
  ),
  post("ports, as many as are read", pods, () =>
    pod({}, { ports: list(6_000, (i) => ({ name: `p${i}`, containerPort: i + 1 })) }, "full-ports"),
  ),
  post("ports of a Service, as many as are read", "/api/v1/namespaces/default/services", () => ({
    metadata: { name: "full-ports" },
    spec: { ports: list(6_000, (i) => ({ name: `p${i}`, port: i + 1 })) },
  })),
  post("rules of a role, as many as are read", rbac, () => ({
    metadata: { name: "full-rules" },
    rules: list(2_400, () => ({ verbs: ["get"], apiGroups: [""], resources: ["pods"] })),
  })),
  post("endpoints, as many as are read", "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices", () => ({
    metadata: { name: "full-endpoints" },
    addressType: "IPv4",
    endpoints: list(6_000, (i) => ({ addresses: [`10.0.${i >> 8}.${i & 255}`] })),
  })),
];

export const jsonBodies: readonly HostileRequest[] = [...shapes, ...objects, ...full];
