import { logLevels } from "../logger.ts";
import { flag } from "./flag.ts";

/** The flag that every service has. */
export const logLevelFlag = {
  "log-level": flag.choice(logLevels, { help: "Least severe level that is logged", fallback: "info" }),
} as const;
