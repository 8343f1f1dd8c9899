import { type ConfigMap, configMaps, type Secret, secrets } from "@kintsugi/api";
import type { Client } from "@kintsugi/client";

/** The source of the contents of ConfigMaps and Secrets. */
export interface ConfigSource {
  findConfigMap(namespace: string, name: string): Promise<ConfigMap | undefined>;
  findSecret(namespace: string, name: string): Promise<Secret | undefined>;
}

/**
 * Reads again for each container start, because an outdated answer is worse here than a slow
 * answer.
 */
export function apiConfigSource(client: Client): ConfigSource {
  return {
    findConfigMap: (namespace, name) => client.find(configMaps, { namespace, name }),
    findSecret: (namespace, name) => client.find(secrets, { namespace, name }),
  };
}
