import type { FieldSet } from "../fields/field-set.ts";
import type { Resource } from "../resources/resource.ts";

/** What a write through a door leaves as it is, so that whoever states it there does not come to own it. */
export function resetFieldsOf({ rules }: Pick<Resource, "rules">, subresource: string): FieldSet {
  const usual = rules.status === true ? (subresource === "status" ? specOnly : statusOnly) : {};
  return { ...usual, ...rules.resetFields?.[subresource] };
}

const specOnly: FieldSet = { "f:spec": {} };
const statusOnly: FieldSet = { "f:status": {} };
