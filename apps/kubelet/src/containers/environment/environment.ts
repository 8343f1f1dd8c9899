import type { Container, EnvFromSource, EnvVar, FileKeySelector, Service } from "@kintsugi/api";
import type { NodeContext } from "../../model/node-context.ts";
import type { BoundPod } from "../../model/bound-pod.ts";
import { ContainerConfigError } from "./config-error.ts";
import type { ConfigSource } from "./config-source.ts";
import { EnvFileError, envFileBytesMax, findInEnvFile } from "./env-file.ts";
import { expand } from "./expand.ts";
import { serviceVariables } from "./service-variables.ts";
import { podField, resourceField } from "./downward-api.ts";

export interface EnvironmentInput {
  pod: BoundPod;
  container: Container;
  /** The sandbox's addresses; fieldRef status.podIP. */
  podIps: readonly string[];
  node: NodeContext;
  /** All Services of the cluster. */
  services: readonly Service[];
  /**
   * Reads the first bytes up to the limit of a file in one of the pod's volumes; undefined where it
   * is missing or not a regular file.
   */
  readInVolume(volumeName: string, path: string, bytesMax: number): Promise<Uint8Array | undefined>;
}

/**
 * Returns a container's variables in order: the addresses of the API and of Services, then envFrom,
 * then env, whose values may refer to earlier variables.
 * @throws ContainerConfigError in upstream's words when a referenced object is missing.
 */
export async function environment(input: EnvironmentInput, source: ConfigSource): Promise<Map<string, string>> {
  const { pod, node, services } = input;
  const { enableServiceLinks = true } = pod.spec;
  const seen = { namespace: pod.metadata.namespace, enableServiceLinks };
  const { hasProxy, apiServer } = node;
  const env = new Map(serviceVariables(services, seen, { hasProxy, server: apiServer?.() }));
  for (const from of input.container.envFrom ?? []) await addAll(env, from, { input, source });
  for (const variable of input.container.env ?? []) {
    const value = await valueOf(variable, env, { input, source });
    if (value !== undefined) env.set(variable.name, value);
  }
  return env;
}

interface Context {
  input: EnvironmentInput;
  source: ConfigSource;
}

async function addAll(env: Map<string, string>, from: EnvFromSource, { input, source }: Context): Promise<void> {
  const { namespace } = input.pod.metadata;
  const prefix = from.prefix ?? "";
  if (from.configMapRef) {
    const { name = "", optional } = from.configMapRef;
    const found = await source.findConfigMap(namespace, name);
    if (!found && !optional) throw new ContainerConfigError(`configmap "${name}" not found`);
    for (const [key, value] of Object.entries(found?.data ?? {})) env.set(prefix + key, value);
  } else if (from.secretRef) {
    const { name = "", optional } = from.secretRef;
    const found = await source.findSecret(namespace, name);
    if (!found && !optional) throw new ContainerConfigError(`secret "${name}" not found`);
    for (const [key, value] of Object.entries(found?.data ?? {})) env.set(prefix + key, decoded(value));
  }
}

async function valueOf(
  variable: EnvVar,
  env: ReadonlyMap<string, string>,
  { input, source }: Context,
): Promise<string | undefined> {
  const { valueFrom } = variable;
  if (!valueFrom) return expand(variable.value ?? "", env);
  const { namespace } = input.pod.metadata;
  if (valueFrom.fieldRef) return podField(valueFrom.fieldRef.fieldPath, input);
  if (valueFrom.resourceFieldRef) return resourceField(valueFrom.resourceFieldRef, input);
  if (valueFrom.configMapKeyRef) {
    const { name = "", key, optional } = valueFrom.configMapKeyRef;
    const found = await source.findConfigMap(namespace, name);
    if (!found && !optional) throw new ContainerConfigError(`configmap "${name}" not found`);
    const value = found?.data?.[key];
    if (value === undefined && !optional) {
      throw new ContainerConfigError(`couldn't find key ${key} in ConfigMap ${namespace}/${name}`);
    }
    return value;
  }
  if (valueFrom.secretKeyRef) {
    const { name = "", key, optional } = valueFrom.secretKeyRef;
    const found = await source.findSecret(namespace, name);
    if (!found && !optional) throw new ContainerConfigError(`secret "${name}" not found`);
    const value = found?.data?.[key];
    if (value === undefined && !optional) {
      throw new ContainerConfigError(`couldn't find key ${key} in Secret ${namespace}/${name}`);
    }
    return value === undefined ? undefined : decoded(value);
  }
  if (valueFrom.fileKeyRef) return fromFile(valueFrom.fileKeyRef, input);
  throw new ContainerConfigError(`the source of environment variable ${variable.name} is not supported`);
}

/**
 * A file is read for each start of a container, because an init container may have just written it.
 */
async function fromFile(
  { volumeName, path, key, optional }: FileKeySelector,
  input: EnvironmentInput,
): Promise<string | undefined> {
  const named = `environment variable file "${path}" of volume "${volumeName}"`;
  const content = await input.readInVolume(volumeName, path, envFileBytesMax + 1);
  if (content === undefined) {
    if (optional) return undefined;
    throw new ContainerConfigError(`failed to open ${named}: no such file`);
  }
  if (content.length > envFileBytesMax)
    throw new ContainerConfigError(`${named} is larger than ${envFileBytesMax} bytes`);
  try {
    const value = findInEnvFile(Buffer.from(content).toString("utf8"), key);
    if (value !== undefined || optional) return value;
  } catch (error) {
    if (!(error instanceof EnvFileError)) throw error;
    throw new ContainerConfigError(`couldn't parse ${named}: ${error.message}`, { cause: error });
  }
  throw new ContainerConfigError(`environment variable key "${key}" not found in ${named}`);
}

function decoded(base64: string): string {
  return Buffer.from(base64, "base64").toString("utf8");
}
