import { z } from "zod";
import { plainField, ports, defineSetting, wholeNumber } from "../setting.ts";

export const defaultApiPort = 6443;

/** The port on 127.0.0.1 and on the bridge; without a setting, `up` looks for a free port. */
export const apiPortSetting = defineSetting({
  name: "apiPort",
  help: `port of the API server on 127.0.0.1 (default ${defaultApiPort}, or the next free)`,
  flag: { flags: "--api-port <port>", parse: wholeNumber(ports) },
  field: plainField("apiPort", z.int().min(ports.min).max(ports.max)),
  store: (desired = defaultApiPort): { apiPort: number } => ({ apiPort: desired }),
  contradiction: (spec, desired) => (desired === spec.apiPort ? undefined : `API port ${spec.apiPort}, not ${desired}`),
});
