import type { Clock } from "@kintsugi/clock";
import { type CallFault, sufferFault } from "@kintsugi/grpc";
import type { DeviceCallName, DeviceDriver } from "./device-driver.ts";

export interface DeviceFaultDeps {
  readonly clock: Clock;
  /** Returns the fault of a call that arrives now. */
  readonly faultOf: (name: DeviceCallName) => Promise<CallFault | undefined>;
}

/** Returns the driver with injected faults. Calls that hang end when their caller cancels. */
export function withDeviceFaults(driver: DeviceDriver, { clock, faultOf }: DeviceFaultDeps): DeviceDriver {
  return {
    nodePrepareResources: async (claims, signal) =>
      sufferFault({ clock, fault: await faultOf("nodePrepareResources"), signal }, () =>
        driver.nodePrepareResources(claims, signal),
      ),
    nodeUnprepareResources: async (claims, signal) =>
      sufferFault({ clock, fault: await faultOf("nodeUnprepareResources"), signal }, () =>
        driver.nodeUnprepareResources(claims, signal),
      ),
  };
}
