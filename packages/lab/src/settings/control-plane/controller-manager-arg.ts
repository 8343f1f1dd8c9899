import { argsSetting } from "../program-args.ts";

export const controllerManagerArgSetting = argsSetting({
  program: "controller-manager",
  example: "node-monitor-grace-period",
  name: "controllerManagerArg",
  stored: "controllerManagerArgs",
  flag: "--controller-manager-arg <name=value>",
  field: "controllerManager",
  help: "additional flag of the controller-manager, such as node-monitor-grace-period=20s; may be repeated",
});
