import { builtInKinds, disabledFields, dropDisabledFields, type EnabledFeature } from "@kintsugi/api";
import type { AdmissionStep } from "../admission.ts";

/**
 * Removes the fields of disabled features from writes. It runs after every webhook, as upstream's
 * strategies do. The step is omitted if every feature is enabled.
 */
export function disabledFieldsStep(features: readonly EnabledFeature[]): AdmissionStep[] {
  const disabled = disabledFields(features);
  const resources = builtInKinds.map(({ type }) => type).filter(({ kind }) => disabled.has(kind));
  if (resources.length === 0) return [];
  return [
    {
      name: "DisabledFields",
      handles: {
        operations: ["create", "update"],
        resources,
        subresources: ["", "status", "ephemeralcontainers", "resize"],
      },
      mutate: ({ object, before, resource }) => {
        if (object !== undefined) dropDisabledFields(disabled.get(resource.type.kind) ?? [], object, before);
      },
    },
  ];
}
