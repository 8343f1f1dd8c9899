import type { FieldDescription, JsonObject, TypeDescription } from "@kintsugi/api";

const string: TypeDescription = { type: "string" };
const integer: TypeDescription = { type: "integer", format: "int32" };
const strings: TypeDescription = { type: "list", items: string };
const stringMap: TypeDescription = { type: "map", values: string };

function object(
  name: string,
  fields: Record<string, TypeDescription | Omit<FieldDescription, "name" | "required">>,
): TypeDescription {
  const described = Object.entries(fields).map(([field, value]): [string, FieldDescription] => [
    field,
    {
      name: field,
      required: false,
      ...("fields" in value || typeof value.type === "string"
        ? { type: value as TypeDescription }
        : (value as { type: TypeDescription })),
    },
  ]);
  return { type: "object", name, fields: new Map(described) };
}

function mergedBy(mergeKey: string, items: TypeDescription) {
  return { type: { type: "list", items } as const, patchStrategy: "merge", patchMergeKey: mergeKey };
}

const container = object("Container", {
  name: string,
  image: string,
  command: strings,
  env: mergedBy(
    "name",
    object("EnvVar", { name: string, value: string, valueFrom: object("EnvVarSource", { fieldPath: string }) }),
  ),
  ports: mergedBy("containerPort", object("ContainerPort", { containerPort: integer, name: string, protocol: string })),
  resources: object("ResourceRequirements", { limits: stringMap }),
});

/** A kind with a field for each merge rule of strategic merge patches. */
export const deployment = object("Deployment", {
  metadata: object("ObjectMeta", {
    name: string,
    labels: stringMap,
    annotations: stringMap,
    finalizers: { type: strings, patchStrategy: "merge" },
  }),
  spec: object("Spec", {
    replicas: integer,
    strategy: {
      type: object("Strategy", { type: string, rollingUpdate: object("RollingUpdate", { maxSurge: string }) }),
      patchStrategy: "retainKeys",
    },
    containers: mergedBy("name", container),
    volumes: {
      ...mergedBy(
        "name",
        object("Volume", {
          name: string,
          emptyDir: object("EmptyDir", { medium: string }),
          configMap: object("Ref", { name: string }),
        }),
      ),
      patchStrategy: "merge,retainKeys",
    },
    tolerations: { type: "list", items: object("Toleration", { key: string }) },
    replaced: { type: stringMap, patchStrategy: "replace" },
    anything: { type: "any" },
  }),
});

/** A document, a patch, and the document after the patch. */
export interface MergeRow {
  name: string;
  document: JsonObject;
  patch: JsonObject;
  result: JsonObject;
}
