import type { ObjectMeta } from "../meta/object-meta.ts";
import type { Faults } from "./faults.ts";
import { validateAnnotations, validateLabels } from "./labels.ts";

/** A claim's template passes only labels and annotations to its claims. */
export function validateTemplateMetadata(metadata: ObjectMeta, path: string, faults: Faults): void {
  const { annotations, labels, ...others } = metadata;
  validateAnnotations(annotations, `${path}.annotations`, faults);
  validateLabels(labels, `${path}.labels`, faults);
  for (const [field, value] of Object.entries(others)) {
    if (value !== undefined) faults.forbidden(`${path}.${field}`, "cannot be set");
  }
}
