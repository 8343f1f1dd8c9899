import {
  approvalOf,
  type CustomResourceDefinition,
  type CustomResourceDefinitionCondition,
  type CustomResourceDefinitionNames,
  type CustomResourceDefinitionStatus,
  isConditionTrue,
  isProtectedGroup,
  withCondition,
} from "@kintsugi/api";

/** Names of other kinds of the group: names of resources, of objects and of lists. */
export interface TakenNames {
  readonly resources: ReadonlySet<string>;
  readonly kinds: ReadonlySet<string>;
}

/**
 * Decides which names a definition gets, and whether it is served. Accepted names remain accepted.
 * A requested name that another kind has is not accepted.
 */
export function planDefinitionStatus(
  definition: CustomResourceDefinition,
  taken: TakenNames,
  nowMs: number,
): CustomResourceDefinitionStatus {
  const { spec, status = {} } = definition;
  const { accepted, conflict } = acceptNames(spec.names, status.acceptedNames, taken);
  let { conditions } = status;
  const set = (condition: CustomResourceDefinitionCondition) => {
    conditions = withCondition(conditions, condition, nowMs);
  };
  set(conflict ?? { type: "NamesAccepted", status: "True", reason: "NoConflicts", message: "no conflicts found" });
  const isEstablished = isConditionTrue(conditions, "Established");
  if (conflict === undefined && !isEstablished) {
    const message = "the initial names have been accepted";
    set({ type: "Established", status: "True", reason: "InitialNamesAccepted", message });
  } else if (!isEstablished) {
    set({ type: "Established", status: "False", reason: "NotAccepted", message: "not all names are accepted" });
  }
  if (isProtectedGroup(spec.group)) set(conformance(definition));
  return { ...status, conditions, acceptedNames: accepted };
}

function conformance(definition: CustomResourceDefinition): CustomResourceDefinitionCondition {
  const { state, message } = approvalOf(definition);
  const reasons = {
    approved: "ApprovedAnnotation",
    bypassed: "UnapprovedAnnotation",
    invalid: "InvalidAnnotation",
    missing: "MissingAnnotation",
  } as const;
  const status = state === "approved" ? "True" : "False";
  return { type: "KubernetesAPIApprovalPolicyConformant", status, reason: reasons[state], message };
}

function acceptNames(
  wanted: CustomResourceDefinitionNames,
  before: CustomResourceDefinitionNames | undefined,
  { resources, kinds }: TakenNames,
): { accepted: CustomResourceDefinitionNames; conflict: CustomResourceDefinitionCondition | undefined } {
  const accepted: CustomResourceDefinitionNames = { ...before, plural: before?.plural ?? "", kind: before?.kind ?? "" };
  let conflict: CustomResourceDefinitionCondition | undefined;
  const refuse = (reason: string, names: readonly string[]) => {
    const message = names.map((name) => `"${name}" is already in use`).join(", ");
    conflict = { type: "NamesAccepted", status: "False", reason, message };
  };
  if (resources.has(wanted.plural)) refuse("PluralConflict", [wanted.plural]);
  else accepted.plural = wanted.plural;
  const { singular = "", listKind = "", shortNames = [], categories } = wanted;
  if (resources.has(singular)) refuse("SingularConflict", [singular]);
  else accepted.singular = singular;
  const inUse = shortNames.filter((name) => resources.has(name));
  if (inUse.length > 0) refuse("ShortNamesConflict", inUse);
  else if (shortNames.length > 0) accepted.shortNames = shortNames;
  else delete accepted.shortNames;
  if (kinds.has(wanted.kind)) refuse("KindConflict", [wanted.kind]);
  else accepted.kind = wanted.kind;
  if (kinds.has(listKind)) refuse("ListKindConflict", [listKind]);
  else accepted.listKind = listKind;
  if (categories === undefined) delete accepted.categories;
  else accepted.categories = categories;
  return { accepted, conflict };
}
