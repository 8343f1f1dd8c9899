/** The versions of Kubernetes and their features, which the package exports together. */
export { disabledFields, dropDisabledFields } from "./disabled-fields.ts";
export { chooseFeatures, type EnabledFeature, isFeatureOn } from "./features.ts";
export {
  defaultMinor,
  gitVersionOf,
  type KubernetesMinor,
  kubernetesMinors,
  kubernetesVersionsText,
  parseKubernetesVersion,
} from "./kubernetes-version.ts";
