export { type CsiControllersDeps, type CsiControllersOptions, runCsiControllers } from "./csi-controllers.ts";
