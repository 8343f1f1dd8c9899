export { type ControllerManagerOptions, controllerDefaults } from "./controller-options.ts";
export {
  type ControllerManager,
  type ControllerManagerDeps,
  type ControllerManagerSetup,
  createControllerManager,
} from "./controller-manager.ts";
