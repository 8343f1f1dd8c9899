export {
  type ClaimOutcome,
  type ClaimReference,
  type DeviceCallName,
  type DeviceDriver,
  type PreparedClaim,
  type PreparedClaims,
  type PreparedDevice,
  type UnpreparedClaims,
} from "./device-driver.ts";
export { withDeviceFaults } from "./faults.ts";
export { createDeviceClient, type DeviceClient } from "./grpc/device-client.ts";
export { serveDevices } from "./grpc/serve-devices.ts";
export { chooseDeviceService, devicePluginType } from "./registration.ts";
export { type DeviceServiceName, deviceServiceNames } from "./proto/service-names.ts";
