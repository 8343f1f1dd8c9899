import { withCondition } from "../../../meta/conditions.ts";
import { defineKind } from "../../define-kind.ts";
import { customResourceDefinitions } from "./custom-resource-definition-type.ts";
import { CustomResourceDefinition, type CustomResourceDefinitionCondition } from "./custom-resource-definition.ts";
import {
  validateDefinition,
  validateDefinitionChange,
  validateDefinitionStatus,
  validateNewDefinition,
} from "./validation/definition.ts";
import { validateObjectMeta } from "../../../validation/object-meta.ts";
import { checkSubdomain1123 } from "../../../values/names.ts";

/** Delays the deletion of a definition until all of its objects are deleted. */
export const definitionFinalizer = "customresourcecleanup.apiextensions.k8s.io";

/**
 * The schemas of well-known operators contain whole pods, several times: 60,000 values in 1.3 MB.
 * This number fills the 3 MB that a body may have. Only administrators may write definitions.
 */
const definitionValuesMax = 150_000;

export const customResourceDefinitionKind = defineKind<CustomResourceDefinition>({
  type: customResourceDefinitions,
  schema: CustomResourceDefinition,
  defaults: setDefinitionDefaults,
  validation: {
    create: (definition, faults) => {
      validateObjectMeta(definition.metadata, { namespaced: false, checkName: checkSubdomain1123 }, faults);
      validateNewDefinition(definition, faults);
    },
    validate: validateDefinition,
    update: validateDefinitionChange,
    status: validateDefinitionStatus,
  },
  strategy: {
    status: true,
    generation: true,
    conditionalUpdateOnly: true,
    resetFields: { status: { "f:metadata": {} } },
    prepareForCreate: noteStorageVersion,
    prepareForUpdate: (definition, _before, { subresource }) => {
      if (subresource === "") noteStorageVersion(definition);
    },
    hasExpressions: true,
    validateNew: (definition, context) => context.checkDefinition(definition, undefined),
    validateChanged: (definition, before, { subresource, ...context }) =>
      subresource === "" ? context.checkDefinition(definition, before) : [],
    prepareForDelete: holdBack,
  },
  subresources: ["status"],
  exceptions: { valuesMax: definitionValuesMax },
});

function setDefinitionDefaults({ spec }: CustomResourceDefinition): void {
  const { names } = spec;
  if ((names.singular ?? "") === "") names.singular = names.kind.toLowerCase();
  if ((names.listKind ?? "") === "" && names.kind !== "") names.listKind = `${names.kind}List`;
  spec.conversion ??= { strategy: "None" };
  const service = spec.conversion.webhook?.clientConfig?.service;
  if (service !== undefined) service.port ??= 443;
}

/** Adds the storage version to the status, because objects may now be stored in this version. */
function noteStorageVersion(definition: CustomResourceDefinition): void {
  const status = (definition.status ??= {});
  const stored = (status.storedVersions ??= []);
  for (const { name, storage } of definition.spec.versions) {
    if (storage && !stored.includes(name)) stored.push(name);
  }
}

/**
 * The definition remains until its objects are deleted, and clients see that it is being deleted.
 */
function holdBack(definition: CustomResourceDefinition, nowMs: number): void {
  const finalizers = definition.metadata.finalizers ?? [];
  if (!finalizers.includes(definitionFinalizer)) definition.metadata.finalizers = [...finalizers, definitionFinalizer];
  const condition: CustomResourceDefinitionCondition = {
    type: "Terminating",
    status: "True",
    reason: "InstanceDeletionPending",
    message: "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
  };
  const status = (definition.status ??= {});
  status.conditions = withCondition(status.conditions, condition, nowMs);
}
