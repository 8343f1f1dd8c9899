import { logLevels } from "../logger.ts";
import { flag } from "./flag.ts";

/** The log-level flag that every service has. */
export const logLevelFlag = {
  "log-level": flag.choice(logLevels, { help: "Least severe level that is logged", fallback: "info" }),
} as const;
