import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { parseYaml } from "@kintsugi/yaml-text";
import { z } from "zod";
import { podSecurityLevels, type PodSecuritySettings } from "../../server-options.ts";
import { minorVersion } from "./pod-security-policy.ts";

const level = z.enum(podSecurityLevels).default("privileged");
const version = z
  .string()
  .refine((text) => minorVersion(text) !== undefined, 'must be "latest" or "v1.x"')
  .default("latest");
const names = z.array(z.string().min(1)).default([]);

/** PodSecurityConfiguration, as upstream reads it. */
const podSecurityConfiguration = z.strictObject({
  apiVersion: z.literal("pod-security.admission.config.k8s.io/v1"),
  kind: z.literal("PodSecurityConfiguration"),
  defaults: z
    .strictObject({
      enforce: level,
      "enforce-version": version,
      audit: level,
      "audit-version": version,
      warn: level,
      "warn-version": version,
    })
    .prefault({}),
  exemptions: z.strictObject({ usernames: names, namespaces: names, runtimeClasses: names }).prefault({}),
});

/** AdmissionConfiguration: a plugin's configuration is inline or in a file that it names. */
const admissionConfiguration = z.strictObject({
  apiVersion: z.literal("apiserver.config.k8s.io/v1"),
  kind: z.literal("AdmissionConfiguration"),
  plugins: z
    .array(
      z.discriminatedUnion("name", [
        z.strictObject({
          name: z.literal("PodSecurity"),
          path: z.string().default(""),
          configuration: podSecurityConfiguration.optional(),
        }),
      ]),
    )
    .max(1)
    .default([]),
});

/**
 * Reads the file of `--admission-control-config-file`; undefined where it does not configure this
 * plugin.
 * @throws InvalidFile with all its faults, or an error of the file system.
 */
export async function readAdmissionConfiguration(file: string): Promise<PodSecuritySettings | undefined> {
  const { value } = parseYaml(await readFile(file, "utf8"), {
    schema: admissionConfiguration,
    source: file,
    whole: "AdmissionConfiguration",
  });
  const plugin = value.plugins[0];
  if (plugin === undefined) return undefined;
  if (plugin.path === "") return plugin.configuration && settingsOf(plugin.configuration);
  const path = resolve(dirname(file), plugin.path);
  const schema = podSecurityConfiguration;
  const parsed = parseYaml(await readFile(path, "utf8"), { schema, source: path, whole: "PodSecurityConfiguration" });
  return settingsOf(parsed.value);
}

function settingsOf({ defaults, exemptions }: z.output<typeof podSecurityConfiguration>): PodSecuritySettings {
  return {
    defaults: {
      enforce: { level: defaults.enforce, version: defaults["enforce-version"] },
      audit: { level: defaults.audit, version: defaults["audit-version"] },
      warn: { level: defaults.warn, version: defaults["warn-version"] },
    },
    exemptions,
  };
}
