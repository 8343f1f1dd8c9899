import { builtInKinds, type EnabledFeature, isFeatureOn, type KubernetesMinor, type ResourceType } from "@kintsugi/api";

type Named = Pick<ResourceType, "group" | "version" | "resource">;

/** A kind in a version that not every version of Kubernetes serves. */
interface Availability {
  /** The first minor version that has the kind. */
  readonly since: number;
  /**
   * The first minor version that serves the kind without `--runtime-config`; undefined if every
   * version needs the flag.
   */
  readonly byDefault?: number;
  /** The feature without which the kind is never served. */
  readonly feature?: string;
}

const policy = { feature: "MutatingAdmissionPolicy" };
const volumeClass = { feature: "VolumeAttributesClass" };
const devices = { feature: "DynamicResourceAllocation" };
const trustBundles = { feature: "ClusterTrustBundle" };
const elections = { feature: "CoordinatedLeaderElection" };

/**
 * All other kinds are served by default since 1.33 or longer. Keys are "group/version/resource".
 */
const availability: Readonly<Record<string, Availability>> = {
  "admissionregistration.k8s.io/v1/mutatingadmissionpolicies": { since: 36, byDefault: 36, ...policy },
  "admissionregistration.k8s.io/v1/mutatingadmissionpolicybindings": { since: 36, byDefault: 36, ...policy },
  "admissionregistration.k8s.io/v1beta1/mutatingadmissionpolicies": { since: 34, ...policy },
  "admissionregistration.k8s.io/v1beta1/mutatingadmissionpolicybindings": { since: 34, ...policy },
  "admissionregistration.k8s.io/v1alpha1/mutatingadmissionpolicies": { since: 32, ...policy },
  "admissionregistration.k8s.io/v1alpha1/mutatingadmissionpolicybindings": { since: 32, ...policy },
  "authentication.k8s.io/v1beta1/selfsubjectreviews": { since: 27 },
  "certificates.k8s.io/v1beta1/clustertrustbundles": { since: 33, ...trustBundles },
  "certificates.k8s.io/v1alpha1/clustertrustbundles": { since: 26, ...trustBundles },
  "coordination.k8s.io/v1beta1/leasecandidates": { since: 33, ...elections },
  "coordination.k8s.io/v1alpha2/leasecandidates": { since: 32, ...elections },
  "networking.k8s.io/v1beta1/ipaddresses": { since: 31 },
  "networking.k8s.io/v1beta1/servicecidrs": { since: 31 },
  "resource.k8s.io/v1/deviceclasses": { since: 34, byDefault: 34, ...devices },
  "resource.k8s.io/v1/resourceclaims": { since: 34, byDefault: 34, ...devices },
  "resource.k8s.io/v1/resourceclaimtemplates": { since: 34, byDefault: 34, ...devices },
  "resource.k8s.io/v1/resourceslices": { since: 34, byDefault: 34, ...devices },
  "resource.k8s.io/v1beta2/deviceclasses": { since: 33, ...devices },
  "resource.k8s.io/v1beta2/resourceclaims": { since: 33, ...devices },
  "resource.k8s.io/v1beta2/resourceclaimtemplates": { since: 33, ...devices },
  "resource.k8s.io/v1beta2/resourceslices": { since: 33, ...devices },
  "storage.k8s.io/v1/volumeattributesclasses": { since: 34, byDefault: 34, ...volumeClass },
  "storage.k8s.io/v1beta1/volumeattributesclasses": { since: 31, ...volumeClass },
};

export interface ServedVersionsChoice {
  /** Undefined: all kinds are served by default. */
  readonly minor: KubernetesMinor | undefined;
  readonly features: readonly EnabledFeature[];
  /** `--runtime-config`: true or false by "group/version", "group/version/resource", "api/all". */
  readonly runtimeConfig: Readonly<Record<string, boolean>>;
}

/**
 * Decides which built-in kinds requests find. The most specific key of the runtime configuration
 * applies: the resource's key, its version's key, the key of its maturity (api/ga, api/beta,
 * api/alpha), api/all; then the version's own default.
 * @throws Error for a key that does not name a served kind.
 */
export function chooseServedVersions({
  minor,
  features,
  runtimeConfig,
}: ServedVersionsChoice): (type: Named) => boolean {
  const unknown = Object.keys(runtimeConfig).find((key) => !knownKeys().has(key));
  if (unknown !== undefined)
    throw new Error(
      `unknown api ${JSON.stringify(unknown)}; valid are ${[...knownKeys()].filter((key) => key.split("/").length < 3).join(", ")}, or a resource of a version`,
    );
  const builtIn = new Set(builtInKinds.map(({ type }) => keyOf(type)));
  return (type) => {
    // The versions of custom kinds are controlled by their definitions.
    if (!builtIn.has(keyOf(type))) return true;
    const { since, byDefault, feature } = availability[keyOf(type)] ?? { since: 0, byDefault: 0 };
    if (minor !== undefined && since > minor) return false;
    if (feature !== undefined && !isFeatureOn(features, feature)) return false;
    const named = keysOf(type)
      .map((key) => runtimeConfig[key])
      .find((value) => value !== undefined);
    return named ?? (minor === undefined || (byDefault !== undefined && byDefault <= minor));
  };
}

/** The keys that name a kind, the most specific first; "v1" is the core group's. */
function keysOf(type: Named): string[] {
  const [, maturity = "ga"] = /^v\d+(alpha|beta)/.exec(type.version) ?? [];
  return [keyOf(type), versionKey(type), `api/${maturity}`, "api/all"];
}

function versionKey({ group, version }: Named): string {
  return group === "" ? version : `${group}/${version}`;
}

function keyOf(type: Named): string {
  return `${versionKey(type)}/${type.resource}`;
}

function knownKeys(): ReadonlySet<string> {
  return new Set(builtInKinds.flatMap(({ type }) => keysOf(type)));
}
