import { forbidden, pods } from "@kintsugi/api";
import { type AdmissionStep, createdObject } from "./admission.ts";

/**
 * There are no RuntimeClasses here, so none that a pod names is found
 * (plugin/pkg/admission/runtimeclass).
 */
export const runtimeClass: AdmissionStep = {
  name: "RuntimeClass",
  handles: { operations: ["create"], resources: [pods], subresources: [""] },
  validate: (request) => {
    const pod = createdObject(request, pods);
    const name = pod?.spec?.runtimeClassName;
    if (pod === undefined || name === undefined) return undefined;
    return forbidden(pods, pod.metadata.name ?? "", `pod rejected: RuntimeClass ${JSON.stringify(name)} not found`);
  },
};
