import { describe, expect, test } from "vitest";
import { applyDefaults } from "../../define-kind.ts";
import { parseObject } from "../../../parsing/parse-object.ts";
import { findUnknownFields } from "../../../parsing/unknown-fields.ts";
import { describeSchema } from "../../../schema/describe-schema.ts";
import { validateCreate, validateUpdate } from "../../../validation/validate.ts";
import { CustomResourceDefinition } from "./custom-resource-definition.ts";
import { customResourceDefinitionKind as kind } from "./custom-resource-definition-kind.ts";

const version = { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } };
const spec = {
  group: "stable.example.com",
  scope: "Namespaced",
  names: { plural: "crontabs", kind: "CronTab" },
  versions: [version],
};

function definitionOf(changes: object = {}, metadata: object = {}): CustomResourceDefinition {
  const body = {
    metadata: { name: "crontabs.stable.example.com", resourceVersion: "1", ...metadata },
    spec: { ...spec, ...changes },
    status: { storedVersions: ["v1"] },
  };
  return applyDefaults(kind, parseObject(CustomResourceDefinition, kind.type, body));
}

const faultsOf = (changes: object, metadata?: object) =>
  validateCreate(kind, definitionOf(changes, metadata)).map(({ field, message }) => `${field}: ${message}`);

test("names and the conversion are completed", () => {
  const { names, conversion } = definitionOf().spec;
  expect([names.singular, names.listKind, conversion]).toEqual(["crontab", "CronTabList", { strategy: "None" }]);
  expect(faultsOf({})).toEqual([]);
});

describe("a definition is rejected in upstream's words", () => {
  const withVersion = (changes: object) => ({ versions: [{ ...version, ...changes }] });
  const webhook = (clientConfig: object, conversionReviewVersions = ["v1"]) => ({
    conversion: { strategy: "Webhook", webhook: { clientConfig, conversionReviewVersions } },
  });
  test.each<[string, object, string[]]>([
    [
      "another name",
      { names: { plural: "others", kind: "CronTab" } },
      ['metadata.name: Invalid value: "crontabs.stable.example.com": must be spec.names.plural+"."+spec.group'],
    ],
    [
      "a group without a dot",
      { group: "apps" },
      [
        'metadata.name: Invalid value: "crontabs.stable.example.com": must be spec.names.plural+"."+spec.group',
        'spec.group: Invalid value: "apps": should be a domain with at least one dot',
      ],
    ],
    ["no scope", { scope: undefined }, ["spec.scope: Required value"]],
    ["a scope", { scope: "All" }, ['spec.scope: Unsupported value: "All": supported values: "Cluster", "Namespaced"']],
    [
      "no storage version",
      withVersion({ storage: false }),
      ["spec.versions: Invalid value: must have exactly one version marked as storage version"],
    ],
    [
      "no schema",
      withVersion({ schema: undefined }),
      ["spec.versions[0].schema.openAPIV3Schema: Required value: schemas are required"],
    ],
    [
      "kind and list",
      { names: { ...spec.names, listKind: "CronTab" } },
      ['spec.names.listKind: Invalid value: "CronTab": kind and listKind may not be the same'],
    ],
    [
      "fields that are kept",
      { preserveUnknownFields: true },
      [
        "spec.preserveUnknownFields: Invalid value: true: cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead",
      ],
    ],
    [
      "a warning without a deprecation",
      withVersion({ deprecationWarning: "x" }),
      ['spec.versions[0].deprecationWarning: Invalid value: "x": can only be set for deprecated versions'],
    ],
    [
      "scale",
      withVersion({ subresources: { scale: { specReplicasPath: "spec.x", statusReplicasPath: ".spec.y" } } }),
      [
        'spec.versions[0].subresources.scale.specReplicasPath: Invalid value: "spec.x": must be a simple json path starting with .',
        'spec.versions[0].subresources.scale.statusReplicasPath: Invalid value: ".spec.y": should be a json path under .status',
      ],
    ],
    [
      "columns",
      withVersion({ additionalPrinterColumns: [{ name: "A", type: "text", jsonPath: "a" }] }),
      [
        'spec.versions[0].additionalPrinterColumns[0].type: Invalid value: "text": must be one of boolean,date,integer,number,string',
        'spec.versions[0].additionalPrinterColumns[0].JSONPath: Invalid value: "a": must be a simple json path starting with .',
      ],
    ],
    [
      "a webhook without an address",
      webhook({}),
      ["spec.conversion.webhookClientConfig: Required value: exactly one of url or service is required"],
    ],
    [
      "a webhook of unknown reviews",
      webhook({ url: "https://a/b" }, ["v2"]),
      ['spec.conversion.conversionReviewVersions: Invalid value: ["v2"]: must include at least one of v1, v1beta1'],
    ],
    [
      "a webhook without TLS",
      webhook({ url: "http://a/b" }),
      [
        `spec.conversion.webhookClientConfig.url: Invalid value: "http": 'https' is the only allowed URL scheme; desired format: https://host[/path]`,
      ],
    ],
  ])("%s", (_name, changes, expected) => {
    expect(faultsOf(changes)).toEqual(expected);
  });

  test("a protected group of the community without an approval", () => {
    const changes = { group: "x.k8s.io" };
    const named = (annotations: object) => faultsOf(changes, { name: "crontabs.x.k8s.io", annotations });
    const path = "metadata.annotations[api-approved.kubernetes.io]";
    expect(named({})[0]).toContain(`${path}: Required value: protected groups must have approval annotation`);
    expect(named({ "api-approved.kubernetes.io": "yes" })[0]).toContain(`${path}: Invalid value: "yes"`);
    expect(named({ "api-approved.kubernetes.io": "unapproved" })).toEqual([]);
    expect(named({ "api-approved.kubernetes.io": "https://github.com/kubernetes/kubernetes/pull/1" })).toEqual([]);
  });
});

test("fields that determine the place in the store are immutable", () => {
  const before = definitionOf();
  const established = {
    ...before,
    status: { ...before.status, conditions: [{ type: "Established", status: "True" }] },
  };
  const after = definitionOf({ scope: "Cluster", names: { plural: "others", kind: "Other" } });
  const fields = (from: object) =>
    validateUpdate(kind, { after, before: from as CustomResourceDefinition }).map(({ field }) => field);
  expect(fields(before)).toEqual(["metadata.name", "spec.names.plural"]);
  expect(fields(established)).toEqual(["metadata.name", "spec.scope", "spec.names.kind", "spec.names.plural"]);
});

test("a schema keeps its fields at any depth, and its unknown fields are detected", () => {
  const schema = {
    type: "object",
    properties: {
      list: { type: "array", items: { type: "string", enum: ["a", null], default: null, foo: 1 } },
      map: { type: "object", additionalProperties: { type: "string", bar: 1 } },
      all: { type: "object", additionalProperties: true, default: { a: [1, null] } },
    },
  };
  const body = { spec: { versions: [{ name: "v1", schema: { openAPIV3Schema: schema } }] } };
  const kept = parseObject(CustomResourceDefinition, kind.type, body).spec.versions[0]?.schema?.openAPIV3Schema;
  expect(kept).toEqual({
    type: "object",
    properties: {
      list: { type: "array", items: { type: "string", enum: ["a", null] } },
      map: { type: "object", additionalProperties: { type: "string" } },
      all: { type: "object", additionalProperties: true, default: { a: [1, null] } },
    },
  });
  const path = "spec.versions[0].schema.openAPIV3Schema.properties";
  expect(findUnknownFields(describeSchema(CustomResourceDefinition), body)).toEqual([
    `unknown field "${path}.list.items.foo"`,
    `unknown field "${path}.map.additionalProperties.bar"`,
  ]);
});
