export {
  allowedValue,
  type Flag,
  flag,
  FlagError,
  type FlagTable,
  type FlagValues,
  HelpRequested,
  readFlags,
} from "./flags.ts";
export { createHealthServer, type HealthServerDeps, type HealthServerOptions } from "./health-server.ts";
export { createLogger, type LoggerOptions, type LogLevel, logLevels } from "./logger.ts";
export { createMetrics, type MetricsRegistry } from "./metrics.ts";
export { type Loop, runUntilSignal, Stopped } from "./run-until-signal.ts";
export { runService, type Service } from "./service.ts";
