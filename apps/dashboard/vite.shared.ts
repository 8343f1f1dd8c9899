import type { UserConfig } from "vite";

type RolldownOptions = NonNullable<NonNullable<UserConfig["build"]>["rolldownOptions"]>;

/** The page may not evaluate text as code, so zod interprets its schemas instead. */
export const banner = "globalThis.__zod_globalConfig ??= { jitless: true };";

export const onLog: RolldownOptions["onLog"] = (level, log, report) => {
  // packages/clock also has the machine's randomness, which the page excludes.
  if (!log.message.includes('"node:crypto" has been externalized')) report(level, log);
};
