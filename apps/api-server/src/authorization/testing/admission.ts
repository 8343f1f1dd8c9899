import type { ResourceType } from "@kintsugi/api";
import type { AdmissionAttributes } from "../admission-attributes.ts";
import { aUser } from "./policy-store.ts";

/** A write in the view of admission. */
export function aWrite(type: ResourceType, more: Partial<AdmissionAttributes> = {}): AdmissionAttributes {
  return {
    operation: "create",
    user: aUser("jane"),
    type,
    subresource: "",
    namespace: "",
    name: "",
    object: undefined,
    before: undefined,
    ...more,
  };
}
