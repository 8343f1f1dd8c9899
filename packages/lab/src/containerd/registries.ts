import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { removeTree, writeWhole } from "@kintsugi/daemon";
import type { RegistrySpec } from "../settings/nodes/registries.ts";

/**
 * Writes the files that containerd reads before each pull (hosts.toml(5)), and removes earlier
 * files.
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
