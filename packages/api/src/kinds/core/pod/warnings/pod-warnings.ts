import type { ObjectMeta } from "../../../../meta/object-meta.ts";
import { preferredAddress } from "../../../../values/ip-address.ts";
import type { PodSpec } from "../spec/pod-spec.ts";
import type { PodTemplateSpec } from "../spec/pod-template.ts";
import type { AppArmorProfile } from "../spec/security-context.ts";
import { containerWarnings, type PlacedContainer, placedContainers, portWarnings } from "./container-warnings.ts";
import { fractionalBytesWarnings } from "./fractional-bytes.ts";
import { nodeLabelWarnings, podAffinityWarnings } from "./node-label-warnings.ts";
import { hostnameWarnings } from "./pod-name-warnings.ts";
import { volumeWarnings } from "./volume-warnings.ts";

// Warnings about pods and their templates, as in upstream's pkg/api/pod/warnings.go: valid values
// that are usually mistakes or obsolete.

interface PodParts {
  metadata?: Pick<ObjectMeta, "name" | "annotations"> | undefined;
  spec?: PodSpec | undefined;
}

/** Returns the warnings about a new pod; an update of a pod does not return warnings. */
export function podWarnings({ metadata, spec }: PodParts): string[] {
  if (spec === undefined) return [];
  return [
    ...hostnameWarnings(metadata?.name),
    ...partWarnings({ metadata, spec }, spec, { paths: { spec: "spec", metadata: "metadata" }, isTemplate: false }),
  ];
}

/** Returns the warnings about the pod template at `path`, such as "spec.template". */
export function podTemplateWarnings(template: PodTemplateSpec | undefined, path: string): string[] {
  if (template?.spec === undefined) return [];
  const paths = { spec: `${path}.spec`, metadata: `${path}.metadata` };
  return partWarnings(template, template.spec, { paths, isTemplate: true });
}

interface Place {
  readonly paths: { readonly spec: string; readonly metadata: string };
  readonly isTemplate: boolean;
}

const byteResources = ["memory", "ephemeral-storage"];

function partWarnings({ metadata }: PodParts, spec: PodSpec, { paths, isTemplate }: Place): string[] {
  const containers = placedContainers(spec, paths.spec);
  const annotations = metadata?.annotations ?? {};
  const annotationPath = `${paths.metadata}.annotations`;
  return [
    ...nodeLabelWarnings(spec, paths.spec),
    ...relicWarnings(annotations, annotationPath),
    ...volumeWarnings(spec.volumes ?? [], `${paths.spec}.volumes`),
    ...repeatWarnings(spec, paths.spec),
    ...fractionalBytesWarnings(spec.overhead, byteResources, `${paths.spec}.overhead`),
    ...(Object.keys(annotations).length === 0
      ? []
      : [
          ...seccompWarnings(annotations, annotationPath, { spec, containers }),
          ...appArmorWarnings(annotations, annotationPath, { spec, containers, isTemplate }),
        ]),
    ...containers.flatMap(containerWarnings),
    ...portWarnings(containers),
    ...((spec.terminationGracePeriodSeconds ?? 0) < 0
      ? [
          `${paths.spec}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`,
        ]
      : []),
    ...podAffinityWarnings(spec, paths.spec),
    ...addressWarnings(spec, paths.spec),
  ];
}

type Annotations = Readonly<Record<string, string>>;

/** Annotations that are no longer read, with upstream's advice. */
const relics: readonly (readonly [key: string, advice: string])[] = [
  ["scheduler.alpha.kubernetes.io/critical-pod", 'non-functional in v1.16+; use the "priorityClassName" field instead'],
  ["security.alpha.kubernetes.io/sysctls", 'non-functional in v1.11+; use the "sysctls" field instead'],
  ["security.alpha.kubernetes.io/unsafe-sysctls", 'non-functional in v1.11+; use the "sysctls" field instead'],
];

function relicWarnings(annotations: Annotations, path: string): string[] {
  return relics.flatMap(([key, advice]) => (Object.hasOwn(annotations, key) ? [`${path}[${key}]: ${advice}`] : []));
}

interface Annotated {
  readonly spec: PodSpec;
  readonly containers: readonly PlacedContainer[];
}

const seccompOfPod = "seccomp.security.alpha.kubernetes.io/pod";
const seccompOfContainer = "container.seccomp.security.alpha.kubernetes.io/";

function seccompWarnings(annotations: Annotations, path: string, { spec, containers }: Annotated): string[] {
  const keys = spec.securityContext?.seccompProfile === undefined ? [seccompOfPod] : [];
  for (const { container } of containers)
    if (container.securityContext?.seccompProfile === undefined) keys.push(`${seccompOfContainer}${container.name}`);
  return keys
    .filter((key) => Object.hasOwn(annotations, key))
    .map((key) => `${path}[${key}]: non-functional in v1.27+; use the "seccompProfile" field instead`);
}

const appArmorOfContainer = "container.apparmor.security.beta.kubernetes.io/";

/**
 * Annotations that repeat the pod's AppArmor profile do not cause a warning. In a template, a
 * profile of the pod suppresses all warnings.
 */
function appArmorWarnings(
  annotations: Annotations,
  path: string,
  { spec, containers, isTemplate }: Annotated & { readonly isTemplate: boolean },
): string[] {
  const ofPod = spec.securityContext?.appArmorProfile;
  if ((isTemplate && ofPod !== undefined) || spec.os?.name === "windows") return [];
  return containers.flatMap(({ container: { name, securityContext } }) => {
    const key = `${appArmorOfContainer}${name}`;
    if (securityContext?.appArmorProfile !== undefined || !Object.hasOwn(annotations, key)) return [];
    if (ofPod !== undefined && annotations[key] === asAnnotation(ofPod)) return [];
    return [`${path}[${key}]: deprecated since v1.30; use the "appArmorProfile" field instead`];
  });
}

function asAnnotation({ type, localhostProfile = "" }: AppArmorProfile): string {
  if (type === "RuntimeDefault") return "runtime/default";
  return type === "Localhost" ? `localhost/${localhostProfile}` : "unconfined";
}

function repeatWarnings({ hostAliases = [], imagePullSecrets = [] }: PodSpec, path: string): string[] {
  const warnings: string[] = [];
  const ips = new Set<string>();
  hostAliases.forEach(({ ip }, i) => {
    if (ips.has(ip)) warnings.push(`${path}.hostAliases[${i}].ip: duplicate ip ${JSON.stringify(ip)}`);
    ips.add(ip);
  });
  const names = new Set<string>();
  imagePullSecrets.forEach(({ name = "" }, i) => {
    if (names.has(name)) warnings.push(`${path}.imagePullSecrets[${i}].name: duplicate name ${JSON.stringify(name)}`);
    names.add(name);
  });
  imagePullSecrets.forEach(({ name = "" }, i) => {
    if (name === "") warnings.push(`${path}.imagePullSecrets[${i}].name: invalid empty name ""`);
  });
  return warnings;
}

function addressWarnings({ dnsConfig, hostAliases = [] }: PodSpec, path: string): string[] {
  return [
    ...(dnsConfig?.nameservers ?? []).flatMap((ip, i) => oneAddress(ip, `${path}.dnsConfig.nameservers[${i}]`)),
    ...hostAliases.flatMap(({ ip }, i) => oneAddress(ip, `${path}.hostAliases[${i}].ip`)),
  ];
}

function oneAddress(text: string, path: string): string[] {
  const preferred = preferredAddress(text);
  if (preferred === undefined || preferred === text) return [];
  // An IPv4-mapped IPv6 address.
  if (!preferred.includes(":"))
    return [
      `${path}: non-standard IP address ${JSON.stringify(text)} will be considered invalid in a future Kubernetes release: use ${JSON.stringify(preferred)}`,
    ];
  return [
    `${path}: IPv6 address ${JSON.stringify(text)} should be in RFC 5952 canonical format (${JSON.stringify(preferred)})`,
  ];
}
