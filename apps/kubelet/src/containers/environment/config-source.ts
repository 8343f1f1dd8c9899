import { type ConfigMap, configMaps, type Secret, secrets } from "@kintsugi/api";
import type { Client } from "@kintsugi/client";

/** Where the contents of ConfigMaps and Secrets come from. */
export interface ConfigSource {
  findConfigMap(namespace: string, name: string): Promise<ConfigMap | undefined>;
  findSecret(namespace: string, name: string): Promise<Secret | undefined>;
}

/** Read afresh for each container start: what is old is worse here than what is slow. */
export function apiConfigSource(client: Client): ConfigSource {
  return {
    findConfigMap: (namespace, name) => client.find(configMaps, { namespace, name }),
    findSecret: (namespace, name) => client.find(secrets, { namespace, name }),
  };
}
