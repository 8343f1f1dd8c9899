import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { builtInKinds } from "../kinds/built-in-kinds.ts";
import { PodTemplateSpec } from "../kinds/core/pod/spec/pod-template.ts";
import { Scale } from "../kinds/autoscaling/scale/scale.ts";
import { Eviction } from "../kinds/policy/eviction/eviction.ts";
import { TokenRequest } from "../kinds/authentication/token-request/token-request.ts";
import { DeleteOptions } from "../meta/delete-options.ts";
import { ListMeta } from "../meta/list-meta.ts";
import { Status } from "../meta/status.ts";
import {
  describeObject,
  type FieldDescription,
  type ObjectDescription,
  type TypeDescription,
} from "./describe-schema.ts";

const roots = [
  ...builtInKinds.map(({ schema }) => schema),
  PodTemplateSpec,
  Scale,
  Eviction,
  TokenRequest,
  DeleteOptions,
  ListMeta,
  Status,
].map((schema) => describeObject(schema));

const types = allObjects(roots);

test("every served kind has a described schema", () => {
  expect(roots).toHaveLength(builtInKinds.length + 7);
  expect(types.size).toBeGreaterThan(200);
});

test("protobuf numbers are unique within a message and its embedded message", () => {
  const repeated = [...types.values()].flatMap((type) => {
    const numbers = [...type.fields.values()].flatMap(({ protoNumber, protoEmbedded, protoEmbeddedIn }) =>
      protoNumber === undefined ? [] : [`${protoEmbeddedIn ?? 0}/${protoEmbedded ?? 0}/${protoNumber}`],
    );
    return numbers.length === new Set(numbers).size ? [] : [type.name];
  });
  expect(repeated).toEqual([]);
});

/** Newer than the protobuf definitions of all supported clients; protobuf lacks these fields. */
const withoutProtoNumber = new Set([
  "io.k8s.api.core.v1.PodSpec.schedulingGroup",
  "io.k8s.api.core.v1.PodSchedulingGroup.podGroupName",
  "io.k8s.api.core.v1.PodStatus.nodeAllocatableResourceClaimStatuses",
  "io.k8s.api.core.v1.ResourceHealth.message",
  "io.k8s.api.core.v1.NodeAllocatableResourceClaimStatus.containers",
  "io.k8s.api.core.v1.NodeAllocatableResourceClaimStatus.resourceClaimName",
  "io.k8s.api.core.v1.NodeAllocatableResourceClaimStatus.resources",
  ...["v1", "v1beta2"].flatMap((version) =>
    [
      "Device.nodeAllocatableResourceMappings",
      "DeviceAttribute.bools",
      "DeviceAttribute.ints",
      "DeviceAttribute.strings",
      "DeviceAttribute.versions",
      "NodeAllocatableResourceMapping.allocationMultiplier",
      "NodeAllocatableResourceMapping.capacityKey",
    ].map((field) => `io.k8s.api.resource.${version}.${field}`),
  ),
  "io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta.shardInfo",
  "io.k8s.apimachinery.pkg.apis.meta.v1.ShardInfo.selector",
]);

test("every field but apiVersion and kind has a protobuf number", () => {
  const missing = [...types.values()].flatMap((type) =>
    [...type.fields.values()]
      .filter(({ name, protoNumber }) => protoNumber === undefined && name !== "apiVersion" && name !== "kind")
      .map(({ name }) => `${type.name}.${name}`),
  );
  expect(new Set(missing)).toEqual(withoutProtoNumber);
});

/**
 * Upstream has no default for these keys either: a manager that applies such an item has to set
 * them.
 */
const keysWithoutDefault = new Set([
  "io.k8s.api.core.v1.ServiceAccount.secrets: name",
  "io.k8s.api.flowcontrol.v1.FlowSchemaStatus.conditions: type",
  "io.k8s.api.flowcontrol.v1.PriorityLevelConfigurationStatus.conditions: type",
  "io.k8s.api.resource.v1.ResourceClaimStatus.devices: shareID",
  "io.k8s.api.resource.v1beta2.ResourceClaimStatus.devices: shareID",
]);

test("an applied list item may omit only the keys that have an upstream default", () => {
  const missing = [...types.values()].flatMap((type) =>
    [...type.fields.values()].flatMap((field) => {
      const items = field.type.type === "list" && field.type.items.type === "object" ? field.type.items : undefined;
      return (field.listMapKeys ?? []).flatMap((key) => {
        const { required, keyDefault } = items?.fields.get(key) ?? {};
        return required === true || keyDefault !== undefined ? [] : [`${type.name}.${field.name}: ${key}`];
      });
    }),
  );
  expect(new Set(missing)).toEqual(keysWithoutDefault);
});

// oxlint-disable-next-line eslint/no-restricted-properties -- only this test reads it.
const namedPath = process.env["KINTSUGI_OPENAPI"];
const openApiPath = namedPath ?? join(import.meta.dirname, "../../../../../shared/data/openapi.json");

// Upstream's OpenAPI is not part of the project; if it is present next to it, every field is
// compared.
/* oxlint-disable vitest/no-conditional-tests -- without the data there is nothing to compare. */
if (existsSync(openApiPath)) {
  const { definitions } = JSON.parse(readFileSync(openApiPath, "utf8")) as { definitions: Record<string, Upstream> };

  describe("the shape of every type equals upstream's", () => {
    test.each([...types.values()].map((type) => [type.name, type] as const))("%s", (name, type) => {
      const upstream = definitions[name];
      expect(upstream).toBeDefined();
      const ours = Object.fromEntries([...type.fields.values()].map((field) => [field.name, asUpstream(field)]));
      const theirs = Object.fromEntries(
        Object.entries(upstream?.properties ?? {}).map(([field, property]) => [
          field,
          { ...normalized(property, definitions), required: upstream?.required?.includes(field) ?? false },
        ]),
      );
      expect(ours).toEqual(theirs);
    });
  });
}

/* oxlint-enable vitest/no-conditional-tests */

interface Upstream {
  type?: string;
  format?: string;
  $ref?: string;
  items?: Upstream;
  additionalProperties?: Upstream;
  properties?: Record<string, Upstream>;
  required?: string[];
  [extension: `x-${string}`]: unknown;
}

interface Shape {
  type: string;
  required?: boolean;
  patchStrategy?: unknown;
  patchMergeKey?: unknown;
  listType?: unknown;
  listMapKeys?: unknown;
  mapType?: unknown;
}

const scalarNames: Readonly<Record<string, string>> = {
  "io.k8s.apimachinery.pkg.apis.meta.v1.Time": "string date-time",
  "io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime": "string micro-time",
  "io.k8s.apimachinery.pkg.apis.meta.v1.Duration": "string duration",
  "io.k8s.apimachinery.pkg.api.resource.Quantity": "string quantity",
  "io.k8s.apimachinery.pkg.util.intstr.IntOrString": "string int-or-string",
  "io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1": "any",
  "io.k8s.apimachinery.pkg.runtime.RawExtension": "any",
  "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON": "any",
  "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrArray": "any",
  "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrBool": "any",
  "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrStringArray": "any",
};

function asUpstream(field: FieldDescription): Shape {
  const { required, patchStrategy, patchMergeKey, listType, listMapKeys, mapType } = field;
  return { type: typeText(field.type), required, patchStrategy, patchMergeKey, listType, listMapKeys, mapType };
}

function typeText(type: TypeDescription): string {
  switch (type.type) {
    case "object":
      return type.name;
    case "list":
      return `[${typeText(type.items)}]`;
    case "map":
      return `{${typeText(type.values)}}`;
    case "string":
    case "integer":
    case "number":
    case "boolean":
    case "any":
      return type.format === undefined ? type.type : `${type.type} ${type.format}`;
  }
}

function normalized(property: Upstream, definitions: Readonly<Record<string, Upstream>>): Shape {
  const target = property.$ref === undefined ? undefined : definitions[refName(property.$ref)];
  return {
    type: upstreamTypeText(property),
    patchStrategy: property["x-kubernetes-patch-strategy"],
    patchMergeKey: property["x-kubernetes-patch-merge-key"],
    listType: property["x-kubernetes-list-type"],
    listMapKeys: property["x-kubernetes-list-map-keys"],
    mapType: property["x-kubernetes-map-type"] ?? target?.["x-kubernetes-map-type"],
  };
}

function upstreamTypeText(property: Upstream): string {
  if (property.$ref !== undefined) return scalarNames[refName(property.$ref)] ?? refName(property.$ref);
  if (property.items !== undefined) return `[${upstreamTypeText(property.items)}]`;
  if (property.additionalProperties !== undefined) return `{${upstreamTypeText(property.additionalProperties)}}`;
  return property.format === undefined ? (property.type ?? "") : `${property.type} ${property.format}`;
}

function refName(ref: string): string {
  return ref.replace("#/definitions/", "");
}

function allObjects(from: readonly ObjectDescription[]): ReadonlyMap<string, ObjectDescription> {
  const found = new Map<string, ObjectDescription>();
  const visit = (type: TypeDescription): void => {
    if (type.type === "list") visit(type.items);
    else if (type.type === "map") visit(type.values);
    else if (type.type === "object" && !found.has(type.name)) {
      found.set(type.name, type);
      for (const field of type.fields.values()) visit(field.type);
    }
  };
  from.forEach(visit);
  return found;
}
