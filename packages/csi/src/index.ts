export {
  type CsiCallName,
  csiCallNames,
  type CsiCalls,
  type CsiController,
  type CsiDriver,
  type CsiIdentity,
  type CsiNodeService,
  serviceCalls,
} from "./csi-driver.ts";
export { type FaultDeps, withFaults } from "./faults.ts";
export { isFinal } from "./final-error.ts";
export type * from "./messages.ts";
export { createCsiClient, type CsiClient, type CsiClientOptions } from "./grpc/csi-client.ts";
export { serveCsi } from "./grpc/serve.ts";
export { type Cloud, zoneKey } from "./cloud/create-disk.ts";
export {
  type CloudNode,
  cloudDefaults,
  type CloudOptions,
  type CloudDisk,
  type DiskSnapshot,
  emptyBooks,
  type Books,
} from "./cloud/books.ts";
export { createCloudController, isDiskId } from "./cloud/cloud-controller.ts";
export type { DiskMedia } from "./cloud/disk-media.ts";
export { isSnapshotId } from "./cloud/snapshot-calls.ts";
export { existingDisk, required, requiredCapability } from "./cloud/required.ts";
export { attachmentNameOf, csiPluginType, uniqueVolumeName } from "./names.ts";
export { secretTexts } from "./secret-texts.ts";
