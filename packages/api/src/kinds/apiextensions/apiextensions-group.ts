export {
  customResourceDefinitionKind,
  definitionFinalizer,
} from "./custom-resource-definition/custom-resource-definition-kind.ts";
export { customResourceDefinitions } from "./custom-resource-definition/custom-resource-definition-type.ts";
export * from "./custom-resource-definition/custom-resource-definition.ts";
export type { JsonSchema, ValidationRule } from "./custom-resource-definition/json-schema-props.ts";
export { approvalOf, isProtectedGroup } from "./custom-resource-definition/validation/approval.ts";
