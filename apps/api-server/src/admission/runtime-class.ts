import { forbidden, type Pod } from "@kintsugi/api";
import type { AdmissionStep } from "./admission.ts";

/** There are no RuntimeClasses here, so none that a pod names is found (plugin/pkg/admission/runtimeclass). */
export const runtimeClass: AdmissionStep = {
  name: "RuntimeClass",
  validate: ({ operation, resource, subresource, object }) => {
    if (operation !== "create" || resource.type.kind !== "Pod" || subresource !== "" || object === undefined) {
      return undefined;
    }
    const { metadata, spec } = object as Pod;
    const name = spec?.runtimeClassName;
    if (name === undefined) return undefined;
    return forbidden(
      resource.type,
      metadata.name ?? "",
      `pod rejected: RuntimeClass ${JSON.stringify(name)} not found`,
    );
  },
};
