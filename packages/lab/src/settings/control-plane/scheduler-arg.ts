import { argsSetting } from "../program-args.ts";

export const schedulerArgSetting = argsSetting({
  program: "scheduler",
  example: "pod-max-backoff",
  name: "schedulerArg",
  stored: "schedulerArgs",
  flag: "--scheduler-arg <name=value>",
  field: "scheduler",
  help: "additional flag of the scheduler, such as pod-max-backoff=5s; may be repeated",
});
