import type { FieldSet } from "../fields/field-set.ts";
import type { Resource } from "../resources/resource.ts";

/**
 * The fields that a write through a subresource cannot change. A manager that sets these fields
 * through the subresource does not own them.
 */
export function resetFieldsOf({ kind }: Pick<Resource, "kind">, subresource: string): FieldSet {
  const usual = kind.strategy.status === true ? (subresource === "status" ? specOnly : statusOnly) : {};
  return { ...usual, ...kind.strategy.resetFields?.[subresource] };
}

const specOnly: FieldSet = { "f:spec": {} };
const statusOnly: FieldSet = { "f:status": {} };
