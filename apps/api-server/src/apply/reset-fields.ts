import type { FieldSet } from "../fields/field-set.ts";
import type { Resource } from "../resources/resource.ts";

/**
 * What a write through a door leaves as it is, so that whoever states it there does not come to own
 * it.
 */
export function resetFieldsOf({ kind }: Pick<Resource, "kind">, subresource: string): FieldSet {
  const usual = kind.strategy.status === true ? (subresource === "status" ? specOnly : statusOnly) : {};
  return { ...usual, ...kind.strategy.resetFields?.[subresource] };
}

const specOnly: FieldSet = { "f:spec": {} };
const statusOnly: FieldSet = { "f:status": {} };
