export { hasLoopDevices } from "./host/loop-devices.ts";
export {
  createControllerDriver,
  createNodeDriver,
  type LabDriverDeps,
  type LabDriverOptions,
  type LabNodeOptions,
} from "./lab-driver.ts";
