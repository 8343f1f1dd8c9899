import {
  chooseFeatures,
  defaultMinor,
  type EnabledFeature,
  gitVersionOf,
  kubernetesMinors,
  type KubernetesMinor,
  type Metrics,
  parseKubernetesVersion,
} from "@kintsugi/api";
import { asMapping, flag, type FlagValues } from "./flag.ts";
import { FlagError } from "./read-flags.ts";

/** Upstream's flags for the emulated version of a component, and for its features. */
export const featureFlags = {
  "feature-gates": flag.list({
    help: "Features to enable or disable, such as EnvFiles=true,AllAlpha=false",
    placeholder: "name=true,…",
    fallback: [],
    form: asMapping,
    example: ["EnvFiles=true"],
  }),
  "emulated-version": flag.text({
    help: `Version of Kubernetes that is reported, and whose kinds and features are on by default, 1.${kubernetesMinors[0]} to 1.${kubernetesMinors.at(-1)}`,
    placeholder: "version",
    fallback: `1.${defaultMinor}`,
  }),
} as const;

export interface FeatureConfig {
  readonly minor: KubernetesMinor;
  /** "v1.34.0+kintsugi". */
  readonly gitVersion: string;
  readonly features: readonly EnabledFeature[];
}

/** @throws FlagError */
export function featureConfig(given: FlagValues<typeof featureFlags>): FeatureConfig {
  const minor = checked("emulated-version", () => parseKubernetesVersion(given["emulated-version"]));
  const gates = gatesOf(given["feature-gates"]);
  const features = checked("feature-gates", () => chooseFeatures({ minor, gates }));
  return { minor, gitVersion: gitVersionOf(minor), features };
}

/** Sets the metric that each of upstream's components has. */
export function recordFeatures(metrics: Metrics, features: readonly EnabledFeature[]): void {
  const gauge = metrics.gauge({
    name: "kubernetes_feature_enabled",
    help: "This metric records the data about the stage and enablement of a k8s feature.",
    labels: ["name", "stage"],
  });
  for (const { name, stage, isOn } of features) gauge.set(isOn ? 1 : 0, { name, stage });
}

/** The messages of the errors are upstream's (component-base/featuregate). */
function gatesOf(pairs: readonly string[]): Record<string, boolean> {
  const gates = Object.create(null) as Record<string, boolean>;
  for (const pair of pairs) {
    const [name = "", value] = pair.split(/=(.*)/s).map((part) => part.trim());
    if (value === undefined) throw new FlagError(`--feature-gates: missing bool value for ${name}`);
    if (!["true", "false"].includes(value))
      throw new FlagError(`--feature-gates: invalid value of ${name}=${value}, it is true or false`);
    gates[name] = value === "true";
  }
  return gates;
}

function checked<T>(flagName: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new FlagError(`--${flagName}: ${(error as Error).message}`, { cause: error });
  }
}
