import { type DeviceServiceName, deviceServiceNames } from "./proto/service-names.ts";

/** The type of plugins that are device drivers. */
export const devicePluginType = "DRAPlugin";

/**
 * Returns the first of the driver's services that this kubelet supports (upstream's
 * validateSupportedServices: drivers list the newest first).
 * @throws Error with upstream's text.
 */
export function chooseDeviceService(
  driverName: string,
  { endpoint, supported }: { endpoint: string; supported: readonly string[] },
): DeviceServiceName {
  const chosen = deviceServiceNames.find((name) => name === supported.find((each) => isSpoken(each)));
  if (chosen !== undefined) return chosen;
  const fault =
    supported.length === 0
      ? "empty list of supported gRPC services (aka supported versions)"
      : `none of services supported by the plugin (${listed(supported)}) are supported by the kubelet (${listed(deviceServiceNames)})`;
  throw new Error(
    `invalid supported gRPC versions of DRA driver plugin ${driverName} at endpoint ${endpoint}: ${fault}`,
  );
}

function isSpoken(name: string): boolean {
  return deviceServiceNames.some((each) => each === name);
}

/** Formats a list of strings as Go does with %q. */
function listed(names: readonly string[]): string {
  return `[${names.map((name) => JSON.stringify(name)).join(" ")}]`;
}
