export {
  asMapping,
  type FileForm,
  type Flag,
  flag,
  type FlagTable,
  type FlagValues,
  inSeconds,
} from "./config/flag.ts";
export {
  type ConfiguredProgram,
  flagDefaults,
  FlagError,
  HelpRequested,
  readCommandLine,
  readFlags,
} from "./config/read-flags.ts";
export { type FeatureConfig, featureConfig, featureFlags, recordFeatures } from "./config/feature-flags.ts";
export { type ControllerProgramConfig, controllerProgramConfig, controllerProgramFlags } from "./controller-program.ts";
export { healthServerConfig, healthServerFlags } from "./config/health-server-flags.ts";
export { candidateOf, leaderElectionFlags } from "./config/leader-election-flags.ts";
export {
  flagsOf,
  type Option,
  option,
  optionDefaults,
  type OptionTable,
  optionValues,
  type OptionValues,
} from "./config/option-table.ts";
export { ownFileKind } from "./config/config-file.ts";
export { type DefinedService, defineService } from "./define-service.ts";
export { sampleFile } from "./config/sample-file.ts";
export { endWithReader } from "./end-with-reader.ts";
export { readJson } from "./files/read-json.ts";
export { removeTree } from "./files/remove-tree.ts";
export { mergedOptions, parseResolvConf } from "./files/resolv-conf.ts";
export { treeUsage, type TreeUsage } from "./files/tree-usage.ts";
export {
  wrapDirectory,
  hasCode,
  isMissing,
  nameOnly,
  type OpenDirectory,
  type TreeEntry,
  type TreeVisitor,
  walkTree,
  type WalkLimits,
} from "./files/walk-tree.ts";
export { writeWhole } from "./files/write-whole.ts";
export { findProgram } from "./host/find-program.ts";
export { mountPoints } from "./host/mount-points.ts";
export { pageHost } from "./host/page-host.ts";
export { runCommand } from "./host/run-command.ts";
export { fairShares } from "./fair-shares.ts";
export { createHealthMetrics, type HealthPage } from "./metrics/health-metrics.ts";
export { createHealthServer, type HealthServerDeps, type HealthServerOptions } from "./health-server.ts";
export { explainListening, listen } from "./listen.ts";
export { createLogger, type LoggerOptions, type LogLevel, logLevels } from "./logger.ts";
export { makeDirectory, UnusableDirectory } from "./make-directory.ts";
export { createMetrics, type MetricsRegistry } from "./metrics/metrics.ts";
export { type Loop, runUntilSignal, Stopped } from "./run-until-signal.ts";
export { SharedConnections, type SharedConnectionLimits, shareConnections } from "./shared-connections.ts";
export { readOrExplain, runService, type Service } from "./service.ts";
export { version } from "./version.ts";
export { followFiles, type FollowedFiles } from "./tls/follow-files.ts";
export {
  followServerTls,
  readServerTls,
  type ServerTls,
  type ServerTlsFiles,
  serverSecureContext,
} from "./tls/server-tls.ts";
