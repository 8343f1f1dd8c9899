import {
  ApiError,
  type ApiObject,
  apiVersionOf,
  type CustomResourceDefinition,
  type JsonObject,
  type JsonSchema,
  type ResourceType,
  type StoredForm,
  type TypeDescription,
} from "@kintsugi/api";
import { describeStructural, hasDefaults, openApiOf, setDefaults } from "@kintsugi/structural-schemas";
import type { KubeObject } from "../resources/resource.ts";

interface ServedVersion {
  type: ResourceType;
  schema: JsonSchema;
  prune: (object: ApiObject) => void;
}

/**
 * Objects are stored in one version, and served in every version. A stored object may also have an
 * earlier storage version or match an earlier schema. Reading it prunes it and adds defaults.
 */
export function storedFormOf(
  definition: CustomResourceDefinition,
  { type, schema, prune }: ServedVersion,
): StoredForm<KubeObject> {
  const { metadata, spec, status } = definition;
  const storage = spec.versions.find(({ storage: isStorage }) => isStorage)?.name ?? type.version;
  const own = apiVersionOf(type);
  const stored = apiVersionOf({ group: type.group, version: storage });
  // Only one version can have been stored while the definition is unchanged since its creation.
  const isFirst = (metadata.generation ?? 1) === 1 && (status?.storedVersions ?? []).length <= 1;
  const webhook = spec.conversion?.strategy === "Webhook" ? spec.conversion.webhook : undefined;
  const converts = webhook !== undefined;
  const described = new Map<string, TypeDescription | undefined>();
  return {
    definition: { name: metadata.name ?? "", uid: metadata.uid ?? "" },
    ...(webhook !== undefined && { conversion: { definition: metadata.name ?? "", own, stored, webhook } }),
    isServed: isFirst && own === stored && !hasDefaults(schema),
    read: (object) => {
      assertConvertible(object.apiVersion ?? own, own, { type, converts });
      object.apiVersion = own;
      prune(object);
      setDefaults(object as unknown as JsonObject, schema);
      return object;
    },
    describeVersion: (apiVersion) => {
      if (!described.has(apiVersion)) described.set(apiVersion, describe(definition, apiVersion));
      return described.get(apiVersion);
    },
    write: (object) => {
      if (own === stored) return object;
      assertConvertible(own, stored, { type, converts });
      return { ...object, apiVersion: stored };
    },
  };
}

/**
 * Versions that are not served are included, because fields that were written in such a version may
 * still have an owner.
 */
function describe({ spec }: CustomResourceDefinition, apiVersion: string): TypeDescription | undefined {
  const version = spec.versions.find(({ name }) => apiVersionOf({ group: spec.group, version: name }) === apiVersion);
  if (version === undefined) return undefined;
  const schema = (version.schema?.openAPIV3Schema ?? {}) as JsonSchema;
  return describeStructural(`${spec.names.kind} of ${apiVersion}`, schema, (of) => openApiOf(schema, of));
}

/**
 * An object that needs a webhook for its conversion has been converted before this call. An
 * unconverted object is an error, so that it is neither shown in a wrong form nor lost. @throws
 * ApiError InternalError
 */
function assertConvertible(
  from: string,
  to: string,
  { type, converts }: { type: ResourceType; converts: boolean },
): void {
  if (from === to || !converts) return;
  const what = `conversion webhook for ${from}, Kind=${type.kind} failed`;
  throw new ApiError("InternalError", `${what}: the object was not converted`);
}
