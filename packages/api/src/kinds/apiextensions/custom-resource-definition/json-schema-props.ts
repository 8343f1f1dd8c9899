import * as z from "zod";
import { field, object, required } from "../../../schema/fields.ts";
import { atomicList, bool, double, either, int64, json, keyedList, list, map, text } from "../../../schema/types.ts";

const group = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1";

export const ValidationRule = object(
  `${group}.ValidationRule`,
  "A validation rule is a CEL expression that is true for every valid value.",
  () => ({
    rule: required(1, text, "This CEL expression, in which self is the value, is true for valid values."),
    message: field(2, text, "A refusal has this text; the default quotes the rule."),
    messageExpression: field(3, text, "This CEL expression makes the text of a refusal and comes before message."),
    reason: field(
      4,
      text,
      "A refusal has this reason: FieldValueInvalid, the default, FieldValueForbidden, FieldValueRequired or FieldValueDuplicate.",
    ),
    fieldPath: field(5, text, "A refusal names the field at this path, which is relative to the rule's schema."),
    optionalOldSelf: field(
      6,
      bool,
      "The rule is also evaluated for new values, for which oldSelf is an empty optional, when this is true.",
    ),
  }),
);
export type ValidationRule = z.infer<typeof ValidationRule>;

const ExternalDocumentation = object(
  `${group}.ExternalDocumentation`,
  "ExternalDocumentation points to documentation elsewhere.",
  () => ({
    description: field(1, text, "The description introduces the documentation."),
    url: field(2, text, "The documentation has this address."),
  }),
);

/**
 * A JSON schema as restricted by OpenAPI 3. The type is written out because it is recursive; its
 * fields are those of `JSONSchemaProps` below.
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
    // Upstream's text also lists the allowed values of the schema.
    toMessage: (value) => (typeof value === "boolean" ? { allows: value } : { allows: true, schema: value }),
  });
const orBoolMessage = object("JSONSchemaPropsOrBool", "A schema, or whether values are allowed.", () => ({
  allows: field(1, bool),
  schema: field(2, schemas),
}));

const orArray = () =>
  either({
    object: itself,
    other: list(schemas),
    message: () => orArrayMessage,
    ofMessage: ({ schema, schemas: several }) => schema ?? several,
    toMessage: (value) => (Array.isArray(value) ? { schemas: value } : { schema: value }),
  });
const orArrayMessage = object("JSONSchemaPropsOrArray", "A schema, or one for each item.", () => ({
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
const orStringsMessage = object("JSONSchemaPropsOrStringArray", "A schema, or names of properties.", () => ({
  schema: field(1, schemas),
  property: field(2, list(text)),
}));

export const JSONSchemaProps = object(`${group}.JSONSchemaProps`, "JSONSchemaProps is a JSON schema.", () => ({
  id: field(1, text, "The schema has this ID, which is not allowed in a CustomResourceDefinition."),
  $schema: field(2, text, "The schema is written in this version of JSON Schema."),
  $ref: field(3, text, "The schema is that at this address, which is not allowed in a CustomResourceDefinition."),
  description: field(4, text, "The description explains the value."),
  type: field(5, text, "The value is of this type: object, array, string, integer, number or boolean."),
  format: field(6, text, "The value has this format, such as date-time or int32; an unknown format is ignored."),
  title: field(7, text, "The title names the value."),
  default: field(8, json, "A value that is left out becomes this one."),
  maximum: field(9, double, "The number is at most this."),
  exclusiveMaximum: field(10, bool, "The number is below the maximum when this is true."),
  minimum: field(11, double, "The number is at least this."),
  exclusiveMinimum: field(12, bool, "The number is above the minimum when this is true."),
  maxLength: field(13, int64, "The text has at most this many characters."),
  minLength: field(14, int64, "The text has at least this many characters."),
  pattern: field(15, text, "The text matches this regular expression in RE2 syntax."),
  maxItems: field(16, int64, "The list has at most this many items."),
  minItems: field(17, int64, "The list has at least this many items."),
  uniqueItems: field(18, bool, "All items of the list differ when this is true, which is not allowed."),
  multipleOf: field(19, double, "The number is a multiple of this."),
  enum: field(20, atomicList(json), "The value is one of these."),
  maxProperties: field(21, int64, "The object has at most this many members."),
  minProperties: field(22, int64, "The object has at least this many members."),
  required: field(23, atomicList(text), "The object has these members."),
  items: field(24, orArray(), "The items of the list match this schema."),
  allOf: field(25, atomicList(schemas), "The value matches all of these schemas."),
  oneOf: field(26, atomicList(schemas), "The value matches exactly one of these schemas."),
  anyOf: field(27, atomicList(schemas), "The value matches at least one of these schemas."),
  not: field(28, schemas, "The value does not match this schema."),
  properties: field(29, map(schemas), "The members of the object match these schemas by their names."),
  additionalProperties: field(30, orBool(), "All members of the object match this schema."),
  patternProperties: field(31, map(schemas), "This field is not allowed in a CustomResourceDefinition."),
  dependencies: field(32, map(orStrings()), "This field is not allowed in a CustomResourceDefinition."),
  additionalItems: field(33, orBool(), "This field is not allowed in a CustomResourceDefinition."),
  definitions: field(34, map(schemas), "This field is not allowed in a CustomResourceDefinition."),
  externalDocs: field(35, ExternalDocumentation, "Documentation of the value stands elsewhere."),
  example: field(36, json, "The example is a valid value."),
  nullable: field(37, bool, "The value may be null when this is true."),
  "x-kubernetes-preserve-unknown-fields": field(
    38,
    bool,
    "Members that the schema does not declare are kept when this is true, and dropped otherwise.",
  ),
  "x-kubernetes-embedded-resource": field(
    39,
    bool,
    "The value is an object with apiVersion, kind and metadata when this is true.",
  ),
  "x-kubernetes-int-or-string": field(40, bool, "The value is an integer or a string when this is true."),
  "x-kubernetes-list-map-keys": field(41, atomicList(text), "These fields identify an item of a list of type map."),
  "x-kubernetes-list-type": field(42, text, "The list is of type atomic, the default, set or map."),
  "x-kubernetes-map-type": field(43, text, "The object is of type granular, the default, or atomic."),
  "x-kubernetes-validations": field(
    44,
    keyedList(ValidationRule, ["rule"]),
    "The value is valid for each of these rules in CEL.",
  ),
})) as unknown as z.ZodObject & z.ZodType<JsonSchema>;
