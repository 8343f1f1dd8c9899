import { argsSetting } from "../program-args.ts";

export const apiServerArgSetting = argsSetting({
  program: "api-server",
  example: "event-ttl",
  name: "apiServerArg",
  stored: "apiServerArgs",
  flag: "--api-server-arg <name=value>",
  field: "apiServer",
  help: "additional flag of the API server, such as event-ttl=2h, instead of the value that `up` sets; may be repeated",
});
