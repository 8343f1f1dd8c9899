import { formatLabelSelector } from "../../../table/cells.ts";
import type { ParamKind, ParamRef } from "./policy-parts.ts";

/** The cells of upstream's printers. */
export function paramKindText(kind: ParamKind | undefined): string {
  return kind === undefined ? "<unset>" : `${kind.apiVersion ?? ""}/${kind.kind ?? ""}`;
}

export function paramRefText(ref: ParamRef | undefined): string {
  if (ref === undefined) return "<unset>";
  const { name = "", namespace = "" } = ref;
  // Objects of a reference without a namespace may be in any namespace, or cluster-scoped.
  if (name !== "") return `${namespace === "" ? "*" : namespace}/${name}`;
  return ref.selector === undefined ? "" : formatLabelSelector(ref.selector);
}
