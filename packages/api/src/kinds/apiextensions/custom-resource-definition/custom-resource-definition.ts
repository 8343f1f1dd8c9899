import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object, required } from "../../../schema/fields.ts";
import { atomicList, bool, bytes, int32, int64, keyedListReplaced, oneOf, text, time } from "../../../schema/types.ts";
import { conditionStatus } from "../../../schema/words.ts";
import { JSONSchemaProps } from "./json-schema-props.ts";

const group = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1";

const CustomResourceDefinitionNames = object(
  `${group}.CustomResourceDefinitionNames`,
  "The names are those by which clients address the custom resource.",
  () => ({
    plural: required(1, text, "The plural stands in URLs: /apis/<group>/<version>/<plural>."),
    singular: field(2, text, "The singular is the kind in lower case if it is empty."),
    shortNames: field(3, atomicList(text), "Command lines know the resource by these short names, too."),
    kind: required(4, text, "Objects have this kind, in CamelCase."),
    listKind: field(5, text, "Lists have this kind, which is the kind with List behind it if it is empty."),
    categories: field(6, atomicList(text), "The resource is among those of these groupings, such as all."),
  }),
);
export type CustomResourceDefinitionNames = z.infer<typeof CustomResourceDefinitionNames>;

const ServiceReference = object(`${group}.ServiceReference`, "A ServiceReference names a Service.", () => ({
  namespace: required(1, text, "The Service is in this namespace."),
  name: required(2, text, "The Service has this name."),
  path: field(3, text, "Requests go to this path of the Service."),
  port: field(4, int32, "Requests go to this port of the Service; the default is 443."),
}));

const WebhookClientConfig = object(
  `${group}.WebhookClientConfig`,
  "The client configuration describes the way to a webhook.",
  () => ({
    service: field(1, ServiceReference, "The webhook is this Service, if there is no URL."),
    caBundle: field(2, bytes, "The webhook's certificate is signed by one of these authorities, in PEM."),
    url: field(3, text, "The webhook is at this address, if it is not a Service."),
  }),
);

const WebhookConversion = object(
  `${group}.WebhookConversion`,
  "A webhook converts objects between the versions.",
  () => ({
    clientConfig: field(2, WebhookClientConfig, "The client configuration describes the way to the webhook."),
    conversionReviewVersions: required(
      3,
      atomicList(text),
      "The webhook understands these versions of ConversionReview, in its order of preference.",
    ),
  }),
);

export type DefinitionWebhook = z.infer<typeof WebhookConversion>;

const CustomResourceConversion = object(
  `${group}.CustomResourceConversion`,
  "The conversion describes how an object of one version becomes one of another.",
  () => ({
    strategy: required(
      1,
      oneOf("None", "Webhook"),
      "None, the default, changes the apiVersion only; Webhook asks a webhook.",
    ),
    webhook: field(2, WebhookConversion, "The webhook converts objects if the strategy is Webhook."),
  }),
);

const CustomResourceValidation = object(
  `${group}.CustomResourceValidation`,
  "The validation holds the schema of objects.",
  () => ({ openAPIV3Schema: field(1, JSONSchemaProps, "Objects are pruned, defaulted and validated by this schema.") }),
);

const CustomResourceSubresourceStatus = object(
  `${group}.CustomResourceSubresourceStatus`,
  "The subresource status is served if this is there, even if it is empty.",
  () => ({}),
);

const CustomResourceSubresourceScale = object(
  `${group}.CustomResourceSubresourceScale`,
  "The subresource scale is served by the fields that this names.",
  () => ({
    specReplicasPath: required(1, text, "The wanted number stands in this field, such as .spec.replicas."),
    statusReplicasPath: required(2, text, "The current number stands in this field, such as .status.replicas."),
    labelSelectorPath: field(3, text, "The label selector stands as a text in this field, such as .status.selector."),
  }),
);

const CustomResourceSubresources = object(
  `${group}.CustomResourceSubresources`,
  "The subresources of the custom resource are named here.",
  () => ({
    status: field(1, CustomResourceSubresourceStatus, "The subresource status is served if this is there."),
    scale: field(2, CustomResourceSubresourceScale, "The subresource scale is served if this is there."),
  }),
);

const CustomResourceColumnDefinition = object(
  `${group}.CustomResourceColumnDefinition`,
  "A column of the table that clients print.",
  () => ({
    name: required(1, text, "The column has this heading."),
    type: required(2, text, "Cells are of this type: integer, number, string, boolean or date."),
    format: field(3, text, "Cells have this format, such as int32 or date-time."),
    description: field(4, text, "The description explains the column."),
    priority: field(5, int32, "Columns with a priority above 0 are shown only in wide tables."),
    jsonPath: required(6, text, "Cells show the value at this path of the object."),
  }),
);

const SelectableField = object(
  `${group}.SelectableField`,
  "A field by which field selectors may select objects.",
  () => ({
    jsonPath: required(1, text, "The field is at this path, such as .spec.color; it is a string, integer or boolean."),
  }),
);

const CustomResourceDefinitionVersion = object(
  `${group}.CustomResourceDefinitionVersion`,
  "One version in which the custom resource is served.",
  () => ({
    name: required(1, text, "The version has this name, such as v1beta1."),
    served: required(2, bool, "The version is served over REST when this is true."),
    storage: required(3, bool, "Objects are stored in this version when this is true, which it is of exactly one."),
    schema: field(4, CustomResourceValidation, "Objects are pruned, defaulted and validated by this schema."),
    subresources: field(5, CustomResourceSubresources, "The version has these subresources."),
    additionalPrinterColumns: field(
      6,
      atomicList(CustomResourceColumnDefinition),
      "Tables have these columns behind the name; the default is the age.",
    ),
    deprecated: field(7, bool, "Answers to requests of this version carry a warning when this is true."),
    deprecationWarning: field(8, text, "The warning has this text."),
    selectableFields: field(9, atomicList(SelectableField), "Field selectors may name these fields; at most 8."),
  }),
);
export type CustomResourceDefinitionVersion = z.infer<typeof CustomResourceDefinitionVersion>;

export const CustomResourceDefinitionSpec = object(
  `${group}.CustomResourceDefinitionSpec`,
  "The spec describes the custom resource.",
  () => ({
    group: required(1, text, "The resource belongs to this API group."),
    names: required(3, CustomResourceDefinitionNames, "The names of the resource."),
    scope: required(4, oneOf("Cluster", "Namespaced"), "The objects are in namespaces, or in none."),
    versions: required(7, atomicList(CustomResourceDefinitionVersion), "The resource has these versions."),
    conversion: field(9, CustomResourceConversion, "The conversion leads from one version to another."),
    preserveUnknownFields: field(10, bool, "This field is deprecated and must be false."),
  }),
);
export type CustomResourceDefinitionSpec = z.infer<typeof CustomResourceDefinitionSpec>;

const CustomResourceDefinitionCondition = object(
  `${group}.CustomResourceDefinitionCondition`,
  "A condition describes one aspect of the definition's state.",
  () => ({
    type: required(1, text, "The type is NamesAccepted, Established, NonStructuralSchema, Terminating or another."),
    status: required(2, conditionStatus, "The status is True, False or Unknown."),
    lastTransitionTime: field(3, time, "The status of the condition last changed at this time."),
    reason: field(4, text, "One CamelCase word gives the reason for the last change of the condition."),
    message: field(5, text, "A text for people gives the details of the last change of the condition."),
    observedGeneration: field(6, int64, "The condition was set for this generation of the definition."),
  }),
);
export type CustomResourceDefinitionCondition = z.infer<typeof CustomResourceDefinitionCondition>;

export const CustomResourceDefinitionStatus = object(
  `${group}.CustomResourceDefinitionStatus`,
  "The status reports how the definition is served.",
  () => ({
    conditions: field(
      1,
      keyedListReplaced(CustomResourceDefinitionCondition, ["type"]),
      "Conditions describe the state.",
    ),
    acceptedNames: field(2, CustomResourceDefinitionNames, "The resource is served under these names."),
    storedVersions: field(
      3,
      atomicList(text),
      "Objects of these versions may be stored; a version can be removed from the spec when it is not among them.",
    ),
    observedGeneration: field(4, int64, "The status was written for this generation of the definition."),
  }),
);
export type CustomResourceDefinitionStatus = z.infer<typeof CustomResourceDefinitionStatus>;

export const CustomResourceDefinition = kind(
  `${group}.CustomResourceDefinition`,
  "A CustomResourceDefinition adds a kind to the API.",
  () => ({
    metadata: always(1, ObjectMeta, "Metadata holds the object's name, which is <plural>.<group>."),
    spec: required(2, CustomResourceDefinitionSpec, "The spec describes the custom resource."),
    status: field(3, CustomResourceDefinitionStatus, "The status reports how the definition is served."),
  }),
);
export type CustomResourceDefinition = z.infer<typeof CustomResourceDefinition>;
