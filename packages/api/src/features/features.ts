import { type Feature, featureTable, type FeatureStage } from "./feature-table.ts";
import { type KubernetesMinor, kubernetesMinors } from "./kubernetes-version.ts";

export interface EnabledFeature {
  readonly name: string;
  readonly stage: FeatureStage;
  readonly isOn: boolean;
}

export interface FeatureChoice {
  /** If undefined, every feature of Kintsugi is on. */
  readonly minor: KubernetesMinor | undefined;
  /**
   * `--feature-gates`: true or false by name. AllAlpha and AllBeta apply to all features of that
   * stage.
   */
  readonly gates: Readonly<Record<string, boolean>>;
}

const groups: Readonly<Record<string, FeatureStage>> = { AllAlpha: "ALPHA", AllBeta: "BETA" };

/**
 * Decides which features are on, in this order: features that are named, features whose stage is
 * named, the version's defaults. Features that are newer than the version are left out.
 * @throws Error for a name that is unknown, or that cannot be changed in the version.
 */
export function chooseFeatures({ minor, gates }: FeatureChoice): readonly EnabledFeature[] {
  const unknown = Object.keys(gates).find((name) => !Object.hasOwn(featureTable, name) && !Object.hasOwn(groups, name));
  if (unknown !== undefined)
    throw new Error(
      `unrecognized feature gate: ${unknown}; the gates are ${[...Object.keys(groups), ...Object.keys(featureTable)].join(", ")}`,
    );
  return Object.entries(featureTable).flatMap(([name, feature]) => {
    const state = stateAt(feature, minor ?? Math.max(...kubernetesMinors));
    const named = gates[name];
    if (state === undefined) {
      if (named === true) throw new Error(`cannot set feature gate ${name} to true, 1.${minor} does not have it`);
      return [];
    }
    if (state.isLocked && named !== undefined && named !== state.isOn)
      throw new Error(`cannot set feature gate ${name} to ${named}, feature is locked to ${state.isOn}`);
    const ofStage = Object.keys(groups).find((group) => groups[group] === state.stage);
    const isOn = named ?? (ofStage === undefined ? undefined : gates[ofStage]) ?? (minor === undefined || state.isOn);
    return [{ name, stage: state.stage, isOn }];
  });
}

/** Reports whether a feature of the list is on; a missing feature is off. */
export function isFeatureOn(features: readonly EnabledFeature[], name: string): boolean {
  return features.some((feature) => feature.name === name && feature.isOn);
}

function stateAt({ states }: Feature, minor: number) {
  return states.findLast(({ since }) => since <= minor);
}
