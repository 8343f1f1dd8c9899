import { addressFamily, cidrFamily } from "@kintsugi/api";
import { flag, FlagError, type FlagValues } from "@kintsugi/daemon";

// The admission plugins that a flag may name, in upstream's order, and whether they run by default.
// NodeRestriction and OwnerReferencesPermissionEnforcement run by default here, but not in
// upstream.
const pluginList = {
  NamespaceLifecycle: true,
  LimitPodHardAntiAffinityTopology: false,
  LimitRanger: true,
  ServiceAccount: true,
  NodeRestriction: true,
  TaintNodesByCondition: true,
  AlwaysPullImages: false,
  PodSecurity: true,
  Priority: true,
  DefaultTolerationSeconds: true,
  ExtendedResourceToleration: false,
  DefaultStorageClass: true,
  StorageObjectInUseProtection: true,
  OwnerReferencesPermissionEnforcement: true,
  PersistentVolumeClaimResize: true,
  RuntimeClass: true,
  CertificateApproval: true,
  CertificateSigning: true,
  ClusterTrustBundleAttest: true,
  CertificateSubjectRestriction: true,
  DefaultIngressClass: true,
  DenyServiceExternalIPs: false,
  MutatingAdmissionPolicy: true,
  MutatingAdmissionWebhook: true,
  ValidatingAdmissionPolicy: true,
  ValidatingAdmissionWebhook: true,
  ResourceQuota: true,
} as const;

export type AdmissionPlugin = keyof typeof pluginList;

const pluginNames = Object.keys(pluginList) as AdmissionPlugin[];

/** The names of the plugins that run. */
export const defaultAdmissionPlugins: readonly AdmissionPlugin[] = pluginNames.filter((name) => pluginList[name]);

export const admissionFlags = {
  "enable-admission-plugins": flag.list({
    help: "Admission plugins to enable in addition to the default ones; their order does not matter",
    fallback: [],
    example: ["ExtendedResourceToleration"],
  }),
  "disable-admission-plugins": flag.list({
    help: "Default admission plugins to disable; without some of them the cluster is not protected from its nodes",
    fallback: [],
    example: ["DefaultStorageClass"],
  }),
  "reserved-addresses": flag.list({
    help: "Kintsugi's own: further addresses and ranges of the control plane, such as a balancer's, which Services may not have as external IPs",
    fallback: [],
    example: ["192.0.2.9", "192.0.2.64/28"],
  }),
} as const;

/** @throws FlagError for a name that is unknown, or is in both lists. */
export function enabledPlugins(
  given: Omit<FlagValues<typeof admissionFlags>, "reserved-addresses">,
): readonly AdmissionPlugin[] {
  const on = namesOf("enable-admission-plugins", given["enable-admission-plugins"]);
  const off = namesOf("disable-admission-plugins", given["disable-admission-plugins"]);
  const both = pluginNames.find((name) => on.has(name) && off.has(name));
  if (both !== undefined)
    throw new FlagError(`${both} in enable-admission-plugins and disable-admission-plugins overlapped`);
  return pluginNames.filter((name) => on.has(name) || (pluginList[name] && !off.has(name)));
}

/** @throws FlagError for a string that is neither an address nor a range. */
export function reservedAddresses(given: Pick<FlagValues<typeof admissionFlags>, "reserved-addresses">) {
  const listed = given["reserved-addresses"];
  const other = listed.find((text) => addressFamily(text) === undefined && cidrFamily(text) === undefined);
  if (other === undefined) return listed;
  throw new FlagError(`--reserved-addresses must be addresses and ranges, not ${JSON.stringify(other)}.`);
}

function namesOf(flagName: string, names: readonly string[]): ReadonlySet<string> {
  const unknown = names.find((name) => !Object.hasOwn(pluginList, name));
  if (unknown === undefined) return new Set(names);
  throw new FlagError(
    `${flagName} plugin ${JSON.stringify(unknown)} is unknown; the plugins are ${pluginNames.join(", ")}`,
  );
}

/** Steps without a plugin in upstream's list always run, and no flag may name them. */
export function isPluginOn(step: string, plugins: readonly AdmissionPlugin[]): boolean {
  return !Object.hasOwn(pluginList, step) || plugins.includes(step as AdmissionPlugin);
}
