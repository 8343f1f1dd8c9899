export { type TestServerConfig, readConfig } from "./config.ts";
export {
  startServedCluster,
  type ServedCluster,
  type ServedClusterDeps,
  type ServedClusterOptions,
} from "./served-cluster.ts";
