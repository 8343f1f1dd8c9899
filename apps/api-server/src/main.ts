import { createMetrics, type Loop, recordFeatures, runService } from "@kintsugi/daemon";
import { readConfig } from "./config.ts";
import { startApiServer } from "./start.ts";

void runService({
  name: "api-server",
  // Every file that it writes may hold Secrets, and LevelDB takes no mode for its own.
  umask: 0o077,
  configure: readConfig,
  start(config, log): Promise<readonly Loop[]> {
    const metrics = createMetrics();
    recordFeatures(metrics, config.features);
    return startApiServer(config, { log, metrics });
  },
});
