import type { Faults } from "../../../../validation/faults.ts";
import type { CustomResourceDefinition } from "../custom-resource-definition.ts";

/** Annotation of a definition in a community group, with the URL of its approval. */
const approvedAnnotation = "api-approved.kubernetes.io";

type Approval = { state: "missing" | "invalid"; message: string } | { state: "bypassed" | "approved"; message: string };

/** The groups in which only the community defines kinds. */
export function isProtectedGroup(group: string): boolean {
  return ["k8s.io", "kubernetes.io"].some((domain) => group === domain || group.endsWith(`.${domain}`));
}

export function approvalOf({ metadata }: CustomResourceDefinition): Approval {
  const text = metadata.annotations?.[approvedAnnotation] ?? "";
  const rule = `protected groups must have approval annotation "${approvedAnnotation}"`;
  const see = "see https://github.com/kubernetes/enhancements/pull/1111";
  if (text === "") return { state: "missing", message: `${rule}, ${see}` };
  if (text.startsWith("unapproved")) return { state: "bypassed", message: `not approved: ${JSON.stringify(text)}` };
  if (URL.canParse(text) && new URL(text).host !== "") return { state: "approved", message: `approved in ${text}` };
  return { state: "invalid", message: `${rule} with either a URL or a reason starting with "unapproved", ${see}` };
}

export function validateApproval(definition: CustomResourceDefinition, faults: Faults): void {
  if (!isProtectedGroup(definition.spec.group)) return;
  const { state, message } = approvalOf(definition);
  const path = `metadata.annotations[${approvedAnnotation}]`;
  if (state === "missing") faults.required(path, message);
  if (state === "invalid") faults.invalid(path, definition.metadata.annotations?.[approvedAnnotation], message);
}

/** A definition that was stored without an approval may remain without an approval. */
export function validateApprovalChange(
  after: CustomResourceDefinition,
  before: CustomResourceDefinition,
  faults: Faults,
): void {
  if (approvalOf(after).state !== approvalOf(before).state) validateApproval(after, faults);
}
