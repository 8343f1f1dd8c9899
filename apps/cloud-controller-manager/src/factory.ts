export { runCloudControllers } from "./cloud-controllers.ts";
