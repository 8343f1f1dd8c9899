export type { DeviceClass } from "./device-class/device-class.ts";
export { deviceClasses } from "./device-class/device-class-type.ts";
export type { AllocationResult, DeviceRequestAllocationResult } from "./devices/allocated-devices.ts";
export type { CapacityRequestPolicy, Device, DeviceAttribute, DeviceTaint } from "./devices/published-devices.ts";
export type { DeviceClaim, DeviceRequest, DeviceToleration } from "./devices/requested-devices.ts";
export type { ResourceSlice } from "./resource-slice/resource-slice.ts";
export { resourceSlices } from "./resource-slice/resource-slice-type.ts";
/** The kinds of resource.k8s.io that programs use, which the package exports together. */
export type { ResourceClaimTemplate } from "./resource-claim-template/resource-claim-template.ts";
export { resourceClaimTemplates } from "./resource-claim-template/resource-claim-template-type.ts";
export type { ResourceClaim } from "./resource-claim/resource-claim.ts";
export { deviceAdminLabel, resourceClaims } from "./resource-claim/resource-claim-type.ts";
