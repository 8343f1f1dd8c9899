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
export { type CsiCode, CsiError, isCsiError, isFinal } from "./csi-error.ts";
export { type CallFault, type FaultDeps, withFaults } from "./faults.ts";
export type * from "./messages.ts";
export { createCsiClient, type CsiClient, type CsiClientOptions } from "./grpc/csi-client.ts";
export {
  csiPluginType,
  openRegistration,
  type PluginInfo,
  type Registration,
  type RegistrationStatus,
  serveRegistration,
} from "./grpc/registration.ts";
export { type PluginServer, serveCsi } from "./grpc/serve.ts";
export { type Cloud, zoneKey } from "./ledger/create-disk.ts";
export {
  type CloudNode,
  cloudDefaults,
  type CloudOptions,
  type Disk,
  type DiskSnapshot,
  emptyLedger,
  type Ledger,
} from "./ledger/ledger.ts";
export { createLedgerController, type DiskMedia, isDiskId } from "./ledger/ledger-controller.ts";
export { existingDisk, required, requiredCapability } from "./ledger/required.ts";
