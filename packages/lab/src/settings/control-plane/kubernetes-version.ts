import { defaultMinor, kubernetesMinors, kubernetesVersionsText, parseKubernetesVersion } from "@kintsugi/api";
import { z } from "zod";
import { plainField, defineSetting } from "../setting.ts";

const versions = kubernetesMinors.map((minor) => `1.${minor}` as const);

/**
 * The version of Kubernetes that the cluster emulates, "1.34"; if absent, the programs' default.
 */
export const kubernetesVersionSetting = defineSetting({
  name: "kubernetesVersion",
  help: `version of Kubernetes that the cluster reports, with its kinds, fields and features, ${kubernetesVersionsText}`,
  flag: { flags: "--kubernetes-version <version>", parse: withoutPatch },
  field: plainField<string>("kubernetesVersion", z.enum(versions)),
  store: (desired): { kubernetesVersion?: string } => (desired === undefined ? {} : { kubernetesVersion: desired }),
  contradiction: ({ kubernetesVersion: present = `1.${defaultMinor}` }, desired) =>
    desired === present ? undefined : `Kubernetes ${present}, not ${desired}`,
  gives({ kubernetesVersion: present }) {
    const given = present === undefined ? {} : { "emulated-version": present };
    return { "api-server": given, scheduler: given, "controller-manager": given, kubelet: given };
  },
});

/** Returns the version without its patch. @throws Error that lists the versions. */
function withoutPatch(text: string): string {
  return `1.${parseKubernetesVersion(text)}`;
}
