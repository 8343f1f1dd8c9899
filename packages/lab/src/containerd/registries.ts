import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { removeTree } from "@kintsugi/daemon";
import { writeWhole } from "../cluster/write-whole.ts";
import { InvalidSpec } from "../cluster/invalid-spec.ts";
import type { RegistrySpec } from "../cluster/cluster-spec.ts";

const hostForm = /^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?(:\d{1,5})?$/;

/**
 * Parses "registry.example.com:5000".
 * @throws InvalidSpec that names the expected form.
 */
export function insecureRegistry(host: string): RegistrySpec {
  if (!hostForm.test(host)) throw new InvalidSpec(`--insecure-registry "${host}" is not host or host:port`);
  return { host, endpoints: [`http://${host}`], insecure: true };
}

/**
 * Parses "docker.io=http://192.0.2.1:5000".
 * @throws InvalidSpec that names the expected form.
 */
export function registryMirror(text: string): RegistrySpec {
  const [host = "", url = "", ...rest] = text.split("=");
  if (rest.length > 0 || !hostForm.test(host) || !/^https?:\/\/[^\s"]+$/.test(url)) {
    throw new InvalidSpec(`--registry-mirror "${text}" is not registry=URL, as in docker.io=http://192.0.2.1:5000`);
  }
  return { host, endpoints: [url], insecure: false };
}

/**
 * Writes the files that containerd reads before each pull (hosts.toml(5)), and removes earlier
 * ones.
 */
export async function writeRegistries(directory: string, registries: readonly RegistrySpec[]): Promise<void> {
  await removeTree(directory);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  for (const registry of registries)
    await writeWhole(join(directory, registry.host, "hosts.toml"), hostsFile(registry));
}

function hostsFile({ host, endpoints, insecure }: RegistrySpec): string {
  const upstream = host === "docker.io" ? "registry-1.docker.io" : host;
  const hosts = endpoints.map((url) => `[host.${JSON.stringify(url)}]\n  capabilities = ["pull", "resolve"]\n`);
  return [`server = ${JSON.stringify(`${insecure ? "http" : "https"}://${upstream}`)}\n`, ...hosts].join("\n");
}
