import { createMetrics, type DefinedService, defineService, ownFileKind, recordFeatures } from "@kintsugi/daemon";
import { type ApiServerConfig, options, readOptions } from "./config.ts";
import { startApiServer } from "./start.ts";

/**
 * Upstream's API server does not read a configuration file, so this kind is Kintsugi's own. Each
 * setting has its flag's name in camelCase.
 */
export const program: DefinedService<ApiServerConfig> = defineService({
  name: "api-server",
  description: "Serves the Kubernetes API from a data directory of its own or from etcd, over TLS.",
  file: ownFileKind("api-server"),
  // Every file that the process writes may hold Secrets, and LevelDB has no option for the mode of
  // its files.
  umask: 0o077,
  options,
  read: readOptions,
  start(config, log) {
    const metrics = createMetrics();
    recordFeatures(metrics, config.features);
    return startApiServer(config, { log, metrics });
  },
});
