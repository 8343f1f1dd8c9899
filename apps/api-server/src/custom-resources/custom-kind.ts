import {
  type ApiObject,
  apiVersionOf,
  type CustomResourceDefinition,
  type CustomResourceDefinitionVersion,
  defineKind,
  type JsonObject,
  type JsonSchema,
  type Kind,
  ObjectMeta,
  type ObjectSchema,
  parseObject,
  type ResourceType,
  schemaFields,
} from "@kintsugi/api";
import {
  coerceEmbedded,
  describeStructural,
  openApiOf,
  prepareRules,
  pruneUnknown,
  setDefaults,
} from "@kintsugi/structural-schemas";
import type { KubeObject } from "../resources/resource.ts";
import { scaleOfVersion } from "./custom-scale.ts";
import { selectableFields } from "./custom-selection.ts";
import { customTable } from "./custom-table.ts";
import { customValidation, finalizerWarnings } from "./custom-validation.ts";
import { storedFormOf } from "./stored-form.ts";

// One version of a definition as the value of a kind. Every part of it is made from data:
//
//   decode       metadata by its own type, the rest pruned by the structural schema
//   defaults     from the schema
//   validation   the schema's conditions, duplicates in lists, embedded objects
//   description  for unknown fields, server-side apply and OpenAPI

/** The one field that all custom objects have. `decode` reads the other fields. */
const customSchema = schemaFields.kind("", "A custom object.", () => ({
  metadata: schemaFields.always(undefined, ObjectMeta),
})) as unknown as ObjectSchema<KubeObject>;

export function customKind(
  definition: CustomResourceDefinition,
  version: CustomResourceDefinitionVersion,
): Kind<KubeObject> {
  const type = typeOf(definition, version);
  const schema = (version.schema?.openAPIV3Schema ?? {}) as JsonSchema;
  const { scale, status } = version.subresources ?? {};
  const selectable = selectableFields([version]);
  const preparation = prepareRules(schema);
  return defineKind<KubeObject>({
    type,
    schema: customSchema,
    description: describeStructural(openApiName(type), schema, (of) => openApiOf(schema, of)),
    decode: (body) => decodeCustom(body as JsonObject, type, schema),
    defaults: (object) => setDefaults(object as unknown as JsonObject, schema),
    validation: customValidation(schema, { hasStatus: status !== undefined }),
    strategy: {
      status: status !== undefined,
      generation: "content",
      conditionalUpdateOnly: true,
      warnings: finalizerWarnings,
      resetFields: { status: { "f:metadata": {} } },
      prepareForUpdate: (object, before, { subresource }) => {
        if (subresource === "status") keepMetadata(object, before);
      },
      ...(preparation && { preparation }),
      ...(version.deprecated === true && { deprecation: deprecationOf(type, version) }),
    },
    subresources: [...(status === undefined ? [] : ["status"]), ...(scale === undefined ? [] : ["scale"])],
    ...(scale !== undefined && { scale: scaleOfVersion(scale) }),
    ...(selectable !== undefined && { selectable }),
    indexed: selectableFields(definition.spec.versions) ?? {},
    table: customTable(version.additionalPrinterColumns),
    storedForm: storedFormOf(definition, { type, schema, prune: (object) => pruneStored(object, schema) }),
    exceptions: { schemaIsData: true },
  });
}

/** The names that were accepted, which may differ from the requested names. */
function typeOf(
  definition: CustomResourceDefinition,
  version: CustomResourceDefinitionVersion,
): ResourceType<KubeObject> {
  const { spec, status } = definition;
  const names = status?.acceptedNames ?? spec.names;
  return {
    group: spec.group,
    version: version.name,
    resource: spec.names.plural,
    singular: names.singular ?? "",
    kind: names.kind,
    namespaced: spec.scope === "Namespaced",
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
  };
}

/** "com.example.stable.v1.CronTab" of stable.example.com/v1 CronTab. */
function openApiName({ group, version, kind }: ResourceType): string {
  return `${group.split(".").toReversed().join(".")}.${version}.${kind}`;
}

function deprecationOf(type: ResourceType, { deprecationWarning }: CustomResourceDefinitionVersion): string {
  return deprecationWarning ?? `${apiVersionOf(type)} ${type.kind} is deprecated`;
}

function decodeCustom(body: JsonObject, type: ResourceType, schema: JsonSchema): KubeObject {
  const { metadata, ...rest } = structuredClone(body);
  pruneUnknown(rest, schema);
  coerceEmbedded(rest, schema);
  return { ...rest, metadata: parseObject(ObjectMeta, type, metadata ?? {}) };
}

/** A stored object may have been written under an earlier schema. */
function pruneStored(object: ApiObject, schema: JsonSchema): void {
  pruneUnknown(object as unknown as JsonObject, schema);
}

/** A status write changes only the owners of fields and the revision in the metadata. */
function keepMetadata(object: KubeObject, before: KubeObject): void {
  const { managedFields, resourceVersion } = object.metadata;
  object.metadata = { ...structuredClone(before.metadata), resourceVersion };
  if (managedFields === undefined) delete object.metadata.managedFields;
  else object.metadata.managedFields = managedFields;
}
