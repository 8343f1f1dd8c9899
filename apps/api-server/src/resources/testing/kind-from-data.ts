import {
  type ApiObject,
  defineKind,
  type Kind,
  ObjectMeta,
  type ObjectSchema,
  type ResourceType,
  schemaFields,
  schemaTypes,
} from "@kintsugi/api";

/** A kind that is made from data only, like a kind that an object in a cluster describes. */
export interface KindData extends ResourceType {
  /** The fields of its spec. */
  fields: Readonly<Record<string, "integer" | "string">>;
}

export const widgets: KindData = {
  group: "example.com",
  version: "v1",
  resource: "widgets",
  singular: "widget",
  kind: "Widget",
  namespaced: true,
  shortNames: ["wd"],
  categories: [],
  fields: { size: "integer", colour: "string" },
};

type CustomObject = ApiObject & { spec?: Record<string, unknown>; status?: unknown };

/** Makes the value of a kind as a producer of custom kinds does, without compiled-in parts. */
export function kindFromData({ fields, ...type }: KindData): Kind<CustomObject> {
  const { always, field, kind, object } = schemaFields;
  const { anyObject, int64, text } = schemaTypes;
  const typeName = `${type.group.split(".").toReversed().join(".")}.${type.version}.${type.kind}`;
  const members = Object.entries(fields);
  const spec = object(`${typeName}Spec`, "Its spec.", () =>
    Object.fromEntries(members.map(([name, of]) => [name, field(undefined, of === "integer" ? int64 : text)])),
  );
  const schema = kind(typeName, "A kind that is data.", () => ({
    metadata: always(undefined, ObjectMeta),
    spec: field(undefined, spec),
    status: field(undefined, anyObject),
  }));
  return defineKind<CustomObject>({
    type,
    schema: schema as unknown as ObjectSchema<CustomObject>,
    validation: {
      validate: (custom, faults) => faults.notNegative("spec.size", custom.spec?.["size"] as number | undefined),
    },
    strategy: { status: true, generation: true },
    subresources: ["status"],
    table: {
      columns: [
        { name: "Name", type: "string", format: "name", description: "", priority: 0 },
        { name: "Size", type: "integer", format: "", description: "", priority: 0 },
      ],
      cells: ({ metadata, spec: own }) => [metadata.name ?? "", Number(own?.["size"] ?? 0)],
    },
    exceptions: { schemaIsData: true },
  });
}
