import * as z from "zod";
import { field, object, required } from "../../../schema/fields.ts";
import { atomicList, bool, double, either, int64, json, keyedList, list, map, text } from "../../../schema/types.ts";

const group = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1";

export const ValidationRule = object(
  `${group}.ValidationRule`,
  "ValidationRule is a CEL expression that must be true for every valid value.",
  () => ({
    rule: required(1, text, "CEL expression that returns true for valid values. The variable self is the value."),
    message: field(2, text, "Message of the rejection. Defaults to a message that quotes the rule."),
    messageExpression: field(
      3,
      text,
      "CEL expression that returns the message of the rejection. Takes precedence over message.",
    ),
    reason: field(
      4,
      text,
      "Reason for the rejection: FieldValueInvalid, FieldValueForbidden, FieldValueRequired or FieldValueDuplicate. Defaults to FieldValueInvalid.",
    ),
    fieldPath: field(
      5,
      text,
      "Path of the field that the rejection names, relative to the location of the rule in the schema.",
    ),
    optionalOldSelf: field(
      6,
      bool,
      "Evaluates the rule even without an old value if true. The variable oldSelf is then an optional, which is empty for a new value.",
    ),
  }),
);
export type ValidationRule = z.infer<typeof ValidationRule>;

const ExternalDocumentation = object(
  `${group}.ExternalDocumentation`,
  "ExternalDocumentation is a link to documentation.",
  () => ({
    description: field(1, text, "Summary of the documentation."),
    url: field(2, text, "URL of the documentation."),
  }),
);

/**
 * A JSON schema as restricted by OpenAPI 3. The type is written out because it is recursive; its
 * fields follow `JSONSchemaProps` below.
 */
export interface JsonSchema {
  id?: string | undefined;
  $schema?: string | undefined;
  $ref?: string | undefined;
  description?: string | undefined;
  type?: string | undefined;
  format?: string | undefined;
  title?: string | undefined;
  default?: unknown;
  maximum?: number | undefined;
  exclusiveMaximum?: boolean | undefined;
  minimum?: number | undefined;
  exclusiveMinimum?: boolean | undefined;
  maxLength?: number | undefined;
  minLength?: number | undefined;
  pattern?: string | undefined;
  maxItems?: number | undefined;
  minItems?: number | undefined;
  uniqueItems?: boolean | undefined;
  multipleOf?: number | undefined;
  enum?: readonly unknown[] | undefined;
  maxProperties?: number | undefined;
  minProperties?: number | undefined;
  required?: readonly string[] | undefined;
  items?: JsonSchema | readonly JsonSchema[] | undefined;
  allOf?: readonly JsonSchema[] | undefined;
  oneOf?: readonly JsonSchema[] | undefined;
  anyOf?: readonly JsonSchema[] | undefined;
  not?: JsonSchema | undefined;
  properties?: Readonly<Record<string, JsonSchema>> | undefined;
  additionalProperties?: JsonSchema | boolean | undefined;
  patternProperties?: Readonly<Record<string, JsonSchema>> | undefined;
  dependencies?: Readonly<Record<string, unknown>> | undefined;
  additionalItems?: JsonSchema | boolean | undefined;
  definitions?: Readonly<Record<string, JsonSchema>> | undefined;
  externalDocs?: { description?: string | undefined; url?: string | undefined } | undefined;
  example?: unknown;
  nullable?: boolean | undefined;
  "x-kubernetes-preserve-unknown-fields"?: boolean | undefined;
  "x-kubernetes-embedded-resource"?: boolean | undefined;
  "x-kubernetes-int-or-string"?: boolean | undefined;
  "x-kubernetes-list-map-keys"?: readonly string[] | undefined;
  "x-kubernetes-list-type"?: string | undefined;
  "x-kubernetes-map-type"?: string | undefined;
  "x-kubernetes-validations"?: readonly ValidationRule[] | undefined;
}

/** The type of a schema, which also appears in its own fields. */
const itself = (): z.ZodType<JsonSchema> => JSONSchemaProps;
const schemas = z.lazy(itself);

const orBool = () =>
  either({
    object: itself,
    other: bool,
    message: () => orBoolMessage,
    ofMessage: ({ allows, schema }) => schema ?? allows ?? false,
    // Upstream's protobuf message also contains `allows`, with the value true, in addition to a
    // schema.
    toMessage: (value) => (typeof value === "boolean" ? { allows: value } : { allows: true, schema: value }),
  });
const orBoolMessage = object(
  "JSONSchemaPropsOrBool",
  "Schema, or a boolean that allows or forbids all values.",
  () => ({
    allows: field(1, bool),
    schema: field(2, schemas),
  }),
);

const orArray = () =>
  either({
    object: itself,
    other: list(schemas),
    message: () => orArrayMessage,
    ofMessage: ({ schema, schemas: several }) => schema ?? several,
    toMessage: (value) => (Array.isArray(value) ? { schemas: value } : { schema: value }),
  });
const orArrayMessage = object("JSONSchemaPropsOrArray", "Schema of all items, or one schema for each item.", () => ({
  schema: field(1, schemas),
  schemas: field(2, list(schemas)),
}));

const orStrings = () =>
  either({
    object: itself,
    other: list(text),
    message: () => orStringsMessage,
    ofMessage: ({ schema, property }) => schema ?? property ?? [],
    toMessage: (value) => (Array.isArray(value) ? { property: value } : { schema: value }),
  });
const orStringsMessage = object("JSONSchemaPropsOrStringArray", "Schema, or names of properties.", () => ({
  schema: field(1, schemas),
  property: field(2, list(text)),
}));

export const JSONSchemaProps = object(`${group}.JSONSchemaProps`, "JSONSchemaProps is a JSON schema.", () => ({
  id: field(1, text, "ID of the schema. Not allowed in a CustomResourceDefinition."),
  $schema: field(2, text, "Version of JSON Schema in which the schema is written."),
  $ref: field(3, text, "Reference to another schema. Not allowed in a CustomResourceDefinition."),
  description: field(4, text, "Explanation of the value."),
  type: field(5, text, "Type of the value: object, array, string, integer, number or boolean."),
  format: field(6, text, "Format of the value, such as date-time or int32. Unknown formats are ignored."),
  title: field(7, text, "Title of the value."),
  default: field(8, json, "Default value, which is set if the field is absent."),
  maximum: field(9, double, "Upper limit of a number."),
  exclusiveMaximum: field(10, bool, "Excludes the maximum itself if true."),
  minimum: field(11, double, "Lower limit of a number."),
  exclusiveMinimum: field(12, bool, "Excludes the minimum itself if true."),
  maxLength: field(13, int64, "Maximum length of a string, in characters."),
  minLength: field(14, int64, "Minimum length of a string, in characters."),
  pattern: field(15, text, "Regular expression in RE2 syntax that a string must match."),
  maxItems: field(16, int64, "Maximum number of items of a list."),
  minItems: field(17, int64, "Minimum number of items of a list."),
  uniqueItems: field(
    18,
    bool,
    "Requires all items of a list to differ. Must not be true in a CustomResourceDefinition.",
  ),
  multipleOf: field(19, double, "Divisor of a number. The number must be a multiple of the divisor."),
  enum: field(20, atomicList(json), "Allowed values of the field."),
  maxProperties: field(21, int64, "Maximum number of properties of an object."),
  minProperties: field(22, int64, "Minimum number of properties of an object."),
  required: field(23, atomicList(text), "Names of the required properties."),
  items: field(24, orArray(), "Schema of the items of a list."),
  allOf: field(25, atomicList(schemas), "List of schemas. The value must match every schema."),
  oneOf: field(26, atomicList(schemas), "Alternative schemas. The value must match exactly one schema."),
  anyOf: field(27, atomicList(schemas), "Alternative schemas. The value must match at least one schema."),
  not: field(28, schemas, "Schema that the value must not match."),
  properties: field(29, map(schemas), "Schemas of an object's properties, by property name."),
  additionalProperties: field(30, orBool(), "Schema of all values of a map. Cannot be combined with properties."),
  patternProperties: field(31, map(schemas), "Schemas by name pattern. Not allowed in a CustomResourceDefinition."),
  dependencies: field(
    32,
    map(orStrings()),
    "Dependencies between properties. Not allowed in a CustomResourceDefinition.",
  ),
  additionalItems: field(33, orBool(), "Schema of additional items. Not allowed in a CustomResourceDefinition."),
  definitions: field(
    34,
    map(schemas),
    "Schemas that other schemas refer to. Not allowed in a CustomResourceDefinition.",
  ),
  externalDocs: field(35, ExternalDocumentation, "Link to external documentation of the value."),
  example: field(36, json, "Example of a valid value."),
  nullable: field(37, bool, "Allows the value null if true."),
  "x-kubernetes-preserve-unknown-fields": field(
    38,
    bool,
    "Preserves properties that the schema does not declare if true. By default, such properties are removed.",
  ),
  "x-kubernetes-embedded-resource": field(
    39,
    bool,
    "Declares that the value is an object with apiVersion, kind and metadata if true.",
  ),
  "x-kubernetes-int-or-string": field(40, bool, "Allows the value to be either an integer or a string if true."),
  "x-kubernetes-list-map-keys": field(
    41,
    atomicList(text),
    "Names of the fields whose values identify an item in a list of the type map.",
  ),
  "x-kubernetes-list-type": field(42, text, "Type of the list: atomic, set or map. Defaults to atomic."),
  "x-kubernetes-map-type": field(43, text, "Type of the object: granular or atomic. Defaults to granular."),
  "x-kubernetes-validations": field(44, keyedList(ValidationRule, ["rule"]), "CEL rules that the value must pass."),
})) as unknown as z.ZodObject & z.ZodType<JsonSchema>;
