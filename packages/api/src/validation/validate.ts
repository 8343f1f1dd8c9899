import { invalid } from "../errors/refusals.ts";
import type { ApiError } from "../errors/api-error.ts";
import type { ApiObject } from "../meta/api-object.ts";
import type { ResourceType } from "../meta/resource-type.ts";
import { collectFaults, type Faults, type ValidationIssue } from "./faults.ts";
import { type KindRules, rulesOf } from "./kind-rules.ts";
import { validateObjectMeta, validateObjectMetaUpdate } from "./object-meta.ts";

/** Everything that keeps a new, parsed and defaulted object from being created; metadata included. */
export function validateCreate<T extends ApiObject>(type: ResourceType<T>, object: T): ValidationIssue[] {
  const rules = rulesOf(type);
  return collectFaults((faults) => {
    if (rules.create !== undefined) rules.create(object as never, faults);
    else validateNew(rules, { type, object }, faults);
  });
}

export interface Change<T extends ApiObject> {
  after: T;
  before: T;
  /** "" for the object itself, "status" for its status. */
  subresource?: string;
}

/** Everything that keeps an object from being changed so: what no object may say, and what may not change. */
export function validateUpdate<T extends ApiObject>(type: ResourceType<T>, change: Change<T>): ValidationIssue[] {
  const { after, before, subresource = "" } = change;
  const rules = rulesOf(type);
  const ofSubresource = rules.subresources?.[subresource];
  const issues = collectFaults((faults) => {
    if (ofSubresource !== undefined) return ofSubresource(after as never, before as never, faults);
    validateObjectMetaUpdate(after.metadata, before.metadata, faults);
    if (subresource === "") {
      rules.validate?.(after as never, faults);
      rules.update?.(after as never, before as never, faults);
    } else if (subresource === "status") rules.status?.(after as never, faults);
  });
  return unique(issues);
}

/** The refusal with all that is wrong; `undefined` when nothing is. */
export function asRefusal(
  type: Pick<ResourceType, "group" | "kind">,
  name: string,
  issues: readonly ValidationIssue[],
): ApiError | undefined {
  return issues.length === 0 ? undefined : invalid(type, name, issues);
}

function validateNew(
  rules: KindRules,
  { type, object }: { type: ResourceType; object: ApiObject },
  faults: Faults,
): void {
  validateObjectMeta(object.metadata, { namespaced: type.namespaced, checkName: rules.checkName }, faults);
  rules.validate?.(object as never, faults);
}

/** Rules of a kind and rules of its changes may find the same fault. */
function unique(issues: readonly ValidationIssue[]): ValidationIssue[] {
  if (issues.length < 2) return [...issues];
  const seen = new Map(issues.map((issue) => [`${issue.field} ${issue.message}`, issue]));
  return [...seen.values()];
}
