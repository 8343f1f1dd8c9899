import { createMetrics, type Loop, runService } from "@kintsugi/daemon";
import { readConfig } from "./config.ts";
import { startApiServer } from "./start.ts";

void runService({
  name: "api-server",
  configure: readConfig,
  start: (config, log): Promise<readonly Loop[]> => startApiServer(config, { log, metrics: createMetrics() }),
});
