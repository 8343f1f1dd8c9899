export { type ControllerManagerOptions, controllerDefaults, controllerOptions } from "./controller-options.ts";
export {
  type ControllerManager,
  type ControllerManagerDeps,
  type ControllerManagerSetup,
  createControllerManager,
} from "./controller-manager.ts";
