export { createLabDriver, type LabDriverDeps, type LabDriverOptions } from "./lab-devices.ts";
export { type LabDevices } from "./plan-slices.ts";
export { SlicePublisher } from "./slice-publisher.ts";
