import { parseDurationMs } from "@kintsugi/api";
import { defineSetting } from "../setting.ts";

/** The time for the start, in milliseconds. */
export const waitSetting = defineSetting({
  name: "wait",
  help: "time to wait until pods can run on all nodes; 0 does not wait",
  flag: { flags: "--wait <duration>", parse: parseDurationMs, fallback: { value: 60_000, text: "1m" } },
});
