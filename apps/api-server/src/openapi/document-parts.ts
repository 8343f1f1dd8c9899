import type { JsonObject } from "@kintsugi/api";

export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** The differences between the two versions of OpenAPI. */
export interface Dialect {
  readonly version: 2 | 3;
  ref(schemaName: string): JsonObject;
  /** A reference with sibling fields, because OpenAPI 3 ignores fields next to `$ref`. */
  refWith(schemaName: string, beside: JsonObject): JsonObject;
  /** The schemas of scalars that have their own names, by name. */
  readonly scalars: Readonly<Record<string, JsonObject>>;
}

export const metaPackage = "io.k8s.apimachinery.pkg.apis.meta.v1";
export const timeName = `${metaPackage}.Time`;
export const microTimeName = `${metaPackage}.MicroTime`;
export const durationName = `${metaPackage}.Duration`;
export const patchName = `${metaPackage}.Patch`;
export const quantityName = "io.k8s.apimachinery.pkg.api.resource.Quantity";
export const intOrStringName = "io.k8s.apimachinery.pkg.util.intstr.IntOrString";

const common: Readonly<Record<string, JsonObject>> = {
  [timeName]: { type: "string", format: "date-time", description: "A point in time to the second, RFC 3339." },
  [microTimeName]: {
    type: "string",
    format: "date-time",
    description: "A point in time to the microsecond, RFC 3339.",
  },
  [durationName]: { type: "string", description: "A length of time such as 15s or 1m30s." },
  [patchName]: { type: "object", description: "A change to an object, in the format of the content type." },
};
const quantityText = "An exact amount such as 100m or 1Gi.";
const intOrStringText = "A number, or a name or percentage.";

export const openApi2: Dialect = {
  version: 2,
  ref: (name) => ({ $ref: `#/definitions/${name}` }),
  refWith: (name, beside) => ({ $ref: `#/definitions/${name}`, ...beside }),
  scalars: {
    ...common,
    [quantityName]: { type: "string", description: quantityText },
    [intOrStringName]: { type: "string", format: "int-or-string", description: intOrStringText },
  },
};

export const openApi3: Dialect = {
  version: 3,
  ref: (name) => ({ $ref: `#/components/schemas/${name}` }),
  refWith: (name, beside) => ({ allOf: [{ $ref: `#/components/schemas/${name}` }], ...beside }),
  scalars: {
    ...common,
    [quantityName]: { oneOf: [{ type: "string" }, { type: "number" }], description: quantityText },
    [intOrStringName]: {
      format: "int-or-string",
      oneOf: [{ type: "integer" }, { type: "string" }],
      description: intOrStringText,
    },
  },
};
