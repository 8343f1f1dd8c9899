import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object, required } from "../../../schema/fields.ts";
import { atomicList, bool, bytes, int32, int64, keyedListReplaced, oneOf, text, time } from "../../../schema/types.ts";
import { conditionStatus } from "../../../schema/words.ts";
import { JSONSchemaProps } from "./json-schema-props.ts";

const group = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1";

const CustomResourceDefinitionNames = object(
  `${group}.CustomResourceDefinitionNames`,
  "Names of the custom resource in URLs, manifests and commands.",
  () => ({
    plural: required(1, text, "Plural name of the resource, used in URLs: /apis/<group>/<version>/<plural>."),
    singular: field(2, text, "Singular name of the resource. Defaults to the kind in lower case."),
    shortNames: field(3, atomicList(text), "Short names of the resource for command-line clients."),
    kind: required(4, text, "Kind of the objects, in CamelCase."),
    listKind: field(5, text, "Kind of the lists. Defaults to the kind followed by List."),
    categories: field(6, atomicList(text), "Groupings that include the resource, such as all."),
  }),
);
export type CustomResourceDefinitionNames = z.infer<typeof CustomResourceDefinitionNames>;

const ServiceReference = object(`${group}.ServiceReference`, "ServiceReference refers to a Service.", () => ({
  namespace: required(1, text, "Namespace of the Service."),
  name: required(2, text, "Name of the Service."),
  path: field(3, text, "URL path of the requests to the Service."),
  port: field(4, int32, "Port of the Service. Defaults to 443."),
}));

const WebhookClientConfig = object(
  `${group}.WebhookClientConfig`,
  "Address of a webhook. Exactly one of url and service must be set.",
  () => ({
    service: field(1, ServiceReference, "Service through which the webhook is called. Cannot be combined with url."),
    caBundle: field(2, bytes, "Certificate authorities for verifying the webhook's certificate, in PEM."),
    url: field(3, text, "URL of the webhook. Cannot be combined with service."),
  }),
);

const WebhookConversion = object(
  `${group}.WebhookConversion`,
  "WebhookConversion is a webhook that converts objects between versions.",
  () => ({
    clientConfig: field(2, WebhookClientConfig, "Address and certificate authorities of the webhook."),
    conversionReviewVersions: required(
      3,
      atomicList(text),
      "Versions of ConversionReview that the webhook supports, in order of preference.",
    ),
  }),
);

export type DefinitionWebhook = z.infer<typeof WebhookConversion>;

const CustomResourceConversion = object(
  `${group}.CustomResourceConversion`,
  "CustomResourceConversion describes the conversion of objects between versions.",
  () => ({
    strategy: required(
      1,
      oneOf("None", "Webhook"),
      "Conversion strategy: None changes apiVersion only, Webhook calls a webhook. Defaults to None.",
    ),
    webhook: field(2, WebhookConversion, "Webhook that converts the objects. Required for the strategy Webhook."),
  }),
);

const CustomResourceValidation = object(
  `${group}.CustomResourceValidation`,
  "CustomResourceValidation is the schema of a version's objects.",
  () => ({
    openAPIV3Schema: field(1, JSONSchemaProps, "OpenAPI v3 schema for pruning, defaulting and validation of objects."),
  }),
);

const CustomResourceSubresourceStatus = object(
  `${group}.CustomResourceSubresourceStatus`,
  "CustomResourceSubresourceStatus enables the subresource status. It has no fields.",
  () => ({}),
);

const CustomResourceSubresourceScale = object(
  `${group}.CustomResourceSubresourceScale`,
  "CustomResourceSubresourceScale enables the subresource scale and names the object's fields that the subresource uses.",
  () => ({
    specReplicasPath: required(1, text, "JSON path of the desired number of replicas, such as .spec.replicas."),
    statusReplicasPath: required(2, text, "JSON path of the current number of replicas, such as .status.replicas."),
    labelSelectorPath: field(3, text, "JSON path of the label selector in text form, such as .status.selector."),
  }),
);

const CustomResourceSubresources = object(
  `${group}.CustomResourceSubresources`,
  "Subresources of the custom resource.",
  () => ({
    status: field(
      1,
      CustomResourceSubresourceStatus,
      "Subresource status. It is served if this field is set, even to an empty object.",
    ),
    scale: field(2, CustomResourceSubresourceScale, "Subresource scale. It is served if this field is set."),
  }),
);

const CustomResourceColumnDefinition = object(
  `${group}.CustomResourceColumnDefinition`,
  "CustomResourceColumnDefinition is a column of the tables that clients print.",
  () => ({
    name: required(1, text, "Heading of the column."),
    type: required(2, text, "Type of the cells: integer, number, string, boolean or date."),
    format: field(3, text, "Format of the cells, such as int32 or date-time."),
    description: field(4, text, "Explanation of the column."),
    priority: field(
      5,
      int32,
      "Priority of the column. A column with a priority above 0 is shown only in wide tables. Defaults to 0.",
    ),
    jsonPath: required(6, text, "JSON path of the value in the object."),
  }),
);

const SelectableField = object(
  `${group}.SelectableField`,
  "SelectableField is a field that field selectors may use.",
  () => ({
    jsonPath: required(1, text, "JSON path of a string, integer or boolean field, such as .spec.color."),
  }),
);

const CustomResourceDefinitionVersion = object(
  `${group}.CustomResourceDefinitionVersion`,
  "CustomResourceDefinitionVersion is a version of the custom resource.",
  () => ({
    name: required(1, text, "Name of the version, such as v1beta1."),
    served: required(2, bool, "Serves the version through the API if true."),
    storage: required(
      3,
      bool,
      "Stores objects in this version if true. Exactly one version must be the storage version.",
    ),
    schema: field(4, CustomResourceValidation, "Schema for pruning, defaulting and validation of objects."),
    subresources: field(5, CustomResourceSubresources, "Subresources of the version."),
    additionalPrinterColumns: field(
      6,
      atomicList(CustomResourceColumnDefinition),
      "Columns that follow the name in printed tables. Defaults to a column with the object's age.",
    ),
    deprecated: field(7, bool, "Adds a deprecation warning to responses to requests for this version if true."),
    deprecationWarning: field(8, text, "Text of the deprecation warning."),
    selectableFields: field(9, atomicList(SelectableField), "Fields that field selectors may use, at most 8."),
  }),
);
export type CustomResourceDefinitionVersion = z.infer<typeof CustomResourceDefinitionVersion>;

export const CustomResourceDefinitionSpec = object(
  `${group}.CustomResourceDefinitionSpec`,
  "Desired state of a CustomResourceDefinition.",
  () => ({
    group: required(1, text, "API group of the resource."),
    names: required(3, CustomResourceDefinitionNames, "Names of the resource and its kind."),
    scope: required(4, oneOf("Cluster", "Namespaced"), "Scope of the objects: Cluster or Namespaced."),
    versions: required(7, atomicList(CustomResourceDefinitionVersion), "Versions of the resource."),
    conversion: field(9, CustomResourceConversion, "Conversion of objects between versions."),
    preserveUnknownFields: field(10, bool, "Deprecated. Must be false."),
  }),
);
export type CustomResourceDefinitionSpec = z.infer<typeof CustomResourceDefinitionSpec>;

const CustomResourceDefinitionCondition = object(
  `${group}.CustomResourceDefinitionCondition`,
  "CustomResourceDefinitionCondition describes one aspect of the definition's state.",
  () => ({
    type: required(
      1,
      text,
      "Type of the condition, such as NamesAccepted, Established, NonStructuralSchema or Terminating.",
    ),
    status: required(2, conditionStatus, "Status of the condition: True, False or Unknown."),
    lastTransitionTime: field(3, time, "Time at which the condition's status last changed."),
    reason: field(4, text, "Reason for the condition's last transition, one CamelCase word."),
    message: field(5, text, "Human-readable details of the condition's last transition."),
    observedGeneration: field(6, int64, "Generation of the definition that the condition describes."),
  }),
);
export type CustomResourceDefinitionCondition = z.infer<typeof CustomResourceDefinitionCondition>;

export const CustomResourceDefinitionStatus = object(
  `${group}.CustomResourceDefinitionStatus`,
  "Observed state of a CustomResourceDefinition.",
  () => ({
    conditions: field(
      1,
      keyedListReplaced(CustomResourceDefinitionCondition, ["type"]),
      "Observed conditions of the definition.",
    ),
    acceptedNames: field(2, CustomResourceDefinitionNames, "Names under which the resource is served."),
    storedVersions: field(
      3,
      atomicList(text),
      "Versions in which objects have ever been stored. A version in this list cannot be removed from the spec.",
    ),
    observedGeneration: field(4, int64, "Generation of the definition that the status describes."),
  }),
);
export type CustomResourceDefinitionStatus = z.infer<typeof CustomResourceDefinitionStatus>;

export const CustomResourceDefinition = kind(
  `${group}.CustomResourceDefinition`,
  "A CustomResourceDefinition adds a kind to the API.",
  () => ({
    metadata: always(1, ObjectMeta, "Name, labels and owners of the object. The name is <plural>.<group>."),
    spec: required(2, CustomResourceDefinitionSpec, "Desired state of the definition."),
    status: field(3, CustomResourceDefinitionStatus, "Observed state of the definition."),
  }),
);
export type CustomResourceDefinition = z.infer<typeof CustomResourceDefinition>;
