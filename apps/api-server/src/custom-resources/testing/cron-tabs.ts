import { TestServer } from "../../testing/test-server.ts";

export const definitionsPath = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

const names = {
  plural: "crontabs",
  singular: "crontab",
  kind: "CronTab",
  listKind: "CronTabList",
  shortNames: ["ct"],
  categories: ["all"],
};

/** The CronTab of Kubernetes' documentation, with all features of a version. */
export function cronTabDefinition(other: Partial<typeof names> = {}) {
  const own = { ...names, ...other };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${own.plural}.stable.example.com` },
    spec: { group: "stable.example.com", scope: "Namespaced", names: own, versions: [cronTabVersion()] },
  };
}

function cronTabVersion() {
  const spec = {
    type: "object",
    required: ["image"],
    properties: {
      cronSpec: { type: "string", pattern: "^(\\d+|\\*)(/\\d+)?(\\s+(\\d+|\\*)(/\\d+)?){4}$" },
      image: { type: "string" },
      replicas: { type: "integer", minimum: 1, maximum: 10, default: 1 },
      free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    },
  };
  const status = {
    type: "object",
    properties: { replicas: { type: "integer" }, labelSelector: { type: "string" } },
  };
  const scale = {
    specReplicasPath: ".spec.replicas",
    statusReplicasPath: ".status.replicas",
    labelSelectorPath: ".status.labelSelector",
  };
  const subresources: { status: object; scale?: typeof scale } = { status: {}, scale };
  return {
    name: "v1",
    served: true,
    storage: true,
    schema: { openAPIV3Schema: { type: "object", properties: { spec, status } } },
    subresources,
    additionalPrinterColumns: [
      { name: "Spec", type: "string", jsonPath: ".spec.cronSpec" },
      { name: "Replicas", type: "integer", jsonPath: ".spec.replicas" },
      { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
    ],
    selectableFields: [{ jsonPath: ".spec.image" }],
  };
}

/** Waits until a definition is served, and returns it. */
export async function establish(server: TestServer, name: string) {
  await server.clock.settle();
  const { json } = await server.get(`${definitionsPath}/${name}`);
  const conditions = (json.status?.conditions ?? []) as { type: string; status: string }[];
  const isEstablished = conditions.some(({ type, status }) => type === "Established" && status === "True");
  if (!isEstablished) throw new Error(`${name} is not established: ${JSON.stringify(json)}`);
  return json;
}

export async function startWithCronTabs(): Promise<TestServer> {
  const server = await TestServer.start();
  const { status, text } = await server.post(definitionsPath, cronTabDefinition());
  if (status !== 201) throw new Error(text);
  await establish(server, "crontabs.stable.example.com");
  return server;
}
