export { createLabDriver, type LabDevicesDeps, type LabDevicesOptions } from "./lab-devices.ts";
export { type LabDevices } from "./plan-slices.ts";
export { SlicePublisher } from "./slice-publisher.ts";
