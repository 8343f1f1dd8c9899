import { formatLabelSelector } from "../../../table/cells.ts";
import type { ParamKind, ParamRef } from "./policy-parts.ts";

/** The cells of upstream's printers. */
export function paramKindText(kind: ParamKind | undefined): string {
  return kind === undefined ? "<unset>" : `${kind.apiVersion ?? ""}/${kind.kind ?? ""}`;
}

export function paramRefText(ref: ParamRef | undefined): string {
  if (ref === undefined) return "<unset>";
  const { name = "", namespace = "" } = ref;
  // The objects may be in any namespace, or in none, where no namespace is named.
  if (name !== "") return `${namespace === "" ? "*" : namespace}/${name}`;
  return ref.selector === undefined ? "" : formatLabelSelector(ref.selector);
}
