export {
  type ControllerManager,
  type ControllerManagerDeps,
  type ControllerManagerSetup,
  createControllerManager,
} from "./controller-manager.ts";
export { type ControllerManagerOptions, defaultControllerManagerOptions } from "./options.ts";
