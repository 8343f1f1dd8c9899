import { invalid } from "../errors/refusals.ts";
import type { ApiError } from "../errors/api-error.ts";
import type { ApiObject } from "../meta/api-object.ts";
import { checkSubdomain1123 } from "../values/names.ts";
import type { ResourceType } from "../meta/resource-type.ts";
import type { KindValidation } from "./kind-validation.ts";
import { collectFaults, type ValidationIssue } from "./faults.ts";
import { validateObjectMeta, validateObjectMetaUpdate } from "./object-meta.ts";

/** The parts of a kind that validation reads. */
interface Validated<T extends ApiObject> {
  readonly type: ResourceType<T>;
  readonly validation: KindValidation<T>;
}

/**
 * Finds everything that prevents the creation of a new, parsed and defaulted object, including
 * faults of its metadata.
 */
export function validateCreate<T extends ApiObject>(
  { type, validation }: Validated<T>,
  object: NoInfer<T>,
): ValidationIssue[] {
  const { checkName = checkSubdomain1123, plainFinalizers = false } = validation;
  return collectFaults((faults) => {
    if (validation.create !== undefined) return validation.create(object, faults);
    validateObjectMeta(object.metadata, { namespaced: type.namespaced, checkName, plainFinalizers }, faults);
    validation.validate?.(object, faults);
  });
}

export interface Change<T extends ApiObject> {
  after: T;
  before: T;
  /** "" for the object itself, "status" for its status. */
  subresource?: string;
}

/**
 * Finds everything that prevents this change of an object: the rules for every object, and the
 * rules for changes.
 */
export function validateUpdate<T extends ApiObject>(
  { validation }: Validated<T>,
  change: Change<NoInfer<T>>,
): ValidationIssue[] {
  const { after, before, subresource = "" } = change;
  const ofSubresource = validation.subresources?.[subresource];
  const issues = collectFaults((faults) => {
    if (ofSubresource !== undefined) return ofSubresource(after, before, faults);
    validateObjectMetaUpdate(after.metadata, before.metadata, faults);
    if (subresource === "") {
      validation.validate?.(after, faults);
      validation.update?.(after, before, faults);
    } else if (subresource === "status") validation.status?.(after, faults, before);
  });
  return unique(issues);
}

/** The rejection with all faults; `undefined` without faults. */
export function asRefusal(
  type: Pick<ResourceType, "group" | "kind">,
  name: string,
  issues: readonly ValidationIssue[],
): ApiError | undefined {
  return issues.length === 0 ? undefined : invalid(type, name, issues);
}

/** Rules of a kind and rules of its changes may find the same fault. */
function unique(issues: readonly ValidationIssue[]): ValidationIssue[] {
  if (issues.length < 2) return [...issues];
  const seen = new Map(issues.map((issue) => [`${issue.field} ${issue.message}`, issue]));
  return [...seen.values()];
}
