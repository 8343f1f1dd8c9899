import type { Container, PodSecurityContext, SecurityContext } from "@kintsugi/api";
import {
  type PodRule,
  allContainers,
  containersText,
  namesOf,
  plural,
  type PodCheck,
  quoteAll,
  settersText,
  sortedSet,
  unlessUserNamespace,
} from "./pod-check.ts";
import { checkSeccompAnnotations, checkSeccompTypes } from "./seccomp-checks.ts";

const appArmorPrefix = "container.apparmor.security.beta.kubernetes.io/";

const checkAppArmor: PodRule = ({ metadata: { annotations = {} }, spec }) => {
  const typeOf = (context: PodSecurityContext | SecurityContext | undefined) => context?.appArmorProfile?.type;
  const isBad = (type: string | undefined) => type !== undefined && type !== "RuntimeDefault" && type !== "Localhost";
  const ofPod = typeOf(spec.securityContext);
  const names = namesOf(spec, ({ securityContext }) => isBad(typeOf(securityContext)));
  const badAnnotations = sortedSet(
    Object.entries(annotations)
      .filter(([key, value]) => key.startsWith(appArmorPrefix) && !isAllowedAppArmor(value))
      .map(([key, value]) => `${key}=${JSON.stringify(value)}`),
  );
  const types = [ofPod, ...allContainers(spec).map(({ securityContext }) => typeOf(securityContext))];
  const values = [
    ...sortedSet(types.filter((type) => type !== undefined && isBad(type)) as string[]),
    ...badAnnotations,
  ];
  const setters = [
    settersText(isBad(ofPod), names),
    badAnnotations.length === 0 ? undefined : plural(badAnnotations.length, "annotation", "annotations"),
  ].filter((text) => text !== undefined);
  if (setters.length === 0) return undefined;
  return {
    reason: plural(values.length, "forbidden AppArmor profile", "forbidden AppArmor profiles"),
    detail: `${setters.join(" and ")} must not set AppArmor profile type to ${quoteAll(values)}`,
  };
};

function isAllowedAppArmor(value: string): boolean {
  return value === "" || value === "runtime/default" || value.startsWith("localhost/");
}

const defaultCapabilities: ReadonlySet<string> = new Set([
  "AUDIT_WRITE",
  "CHOWN",
  "DAC_OVERRIDE",
  "FOWNER",
  "FSETID",
  "KILL",
  "MKNOD",
  "NET_BIND_SERVICE",
  "SETFCAP",
  "SETGID",
  "SETPCAP",
  "SETUID",
  "SYS_CHROOT",
]);

const checkCapabilities: PodRule = ({ spec }) => {
  const added = (context: SecurityContext | undefined) =>
    (context?.capabilities?.add ?? []).filter((name) => !defaultCapabilities.has(name));
  const names = namesOf(spec, ({ securityContext }) => added(securityContext).length > 0);
  if (names.length === 0) return undefined;
  const capabilities = sortedSet(allContainers(spec).flatMap(({ securityContext }) => added(securityContext)));
  const detail = `${containersText(names)} must not include ${quoteAll(capabilities)} in securityContext.capabilities.add`;
  return { reason: "non-default capabilities", detail };
};

const checkHostNamespaces: PodRule = ({ spec }) => {
  const shared = (["hostNetwork", "hostPID", "hostIPC"] as const).filter((name) => spec[name] === true);
  if (shared.length === 0) return undefined;
  return { reason: "host namespaces", detail: shared.map((name) => `${name}=true`).join(", ") };
};

const checkHostPaths: PodRule = ({ spec: { volumes = [] } }) => {
  const names = volumes.filter(({ hostPath }) => hostPath !== undefined).map(({ name }) => name);
  if (names.length === 0) return undefined;
  return { reason: "hostPath volumes", detail: `${plural(names.length, "volume", "volumes")} ${quoteAll(names)}` };
};

const checkHostPorts: PodRule = ({ spec }) => {
  const names = namesOf(spec, ({ ports = [] }) => ports.some(({ hostPort = 0 }) => hostPort !== 0));
  if (names.length === 0) return undefined;
  const all = allContainers(spec).flatMap(({ ports = [] }) => ports.map(({ hostPort = 0 }) => hostPort));
  const ports = sortedSet(all.filter((port) => port !== 0).map(String));
  const verb = plural(names.length, "uses", "use");
  const what = plural(ports.length, "hostPort", "hostPorts");
  return { reason: "hostPort", detail: `${containersText(names)} ${verb} ${what} ${ports.join(", ")}` };
};

/** A probe's host makes the kubelet, which is in the node's network, send requests for the pod. */
const checkHandlerHosts: PodRule = ({ spec }) => {
  const names = namesOf(spec, (container) => handlerHosts(container).length > 0);
  if (names.length === 0) return undefined;
  const hosts = sortedSet(allContainers(spec).flatMap(handlerHosts));
  const verb = plural(names.length, "uses", "use");
  const what = plural(hosts.length, "probe or lifecycle host", "probe or lifecycle hosts");
  const who = containersText(sortedSet(names));
  return { reason: "probe or lifecycle host", detail: `${who} ${verb} ${what} ${quoteAll(hosts)}` };
};

function handlerHosts({ livenessProbe, readinessProbe, startupProbe, lifecycle }: Container): string[] {
  return [livenessProbe, readinessProbe, startupProbe, lifecycle?.postStart, lifecycle?.preStop].flatMap((handler) =>
    [handler?.httpGet?.host, handler?.tcpSocket?.host].filter((host) => host !== undefined && host !== ""),
  ) as string[];
}

const checkPrivileged: PodRule = ({ spec }) => {
  const names = namesOf(spec, ({ securityContext }) => securityContext?.privileged === true);
  if (names.length === 0) return undefined;
  return { reason: "privileged", detail: `${containersText(names)} must not set securityContext.privileged=true` };
};

export const checkProcMount: PodRule = ({ spec }) => {
  const isBad = (context: SecurityContext | undefined) => (context?.procMount ?? "Default") !== "Default";
  const names = namesOf(spec, ({ securityContext }) => isBad(securityContext));
  if (names.length === 0) return undefined;
  const bad = allContainers(spec).filter(({ securityContext }) => isBad(securityContext));
  const types = sortedSet(bad.map(({ securityContext }) => securityContext?.procMount ?? ""));
  const detail = `${containersText(names)} must not set securityContext.procMount to ${quoteAll(types)}`;
  return { reason: "procMount", detail };
};

const checkSeLinux =
  (allowedTypes: readonly string[]): PodRule =>
  ({ spec }) => {
    const bad: { types: string[]; user: boolean; role: boolean } = { types: [], user: false, role: false };
    const isBad = (context: PodSecurityContext | SecurityContext | undefined): boolean => {
      const { type = "", user = "", role = "" } = context?.seLinuxOptions ?? {};
      const isForbiddenType = type !== "" && !allowedTypes.includes(type);
      if (isForbiddenType) bad.types.push(type);
      bad.user ||= user !== "";
      bad.role ||= role !== "";
      return isForbiddenType || user !== "" || role !== "";
    };
    const setters = settersText(
      isBad(spec.securityContext),
      namesOf(spec, ({ securityContext }) => isBad(securityContext)),
    );
    if (setters === undefined) return undefined;
    const types = sortedSet(bad.types);
    const what = [
      ...(types.length === 0 ? [] : [`${plural(types.length, "type", "types")} ${quoteAll(types)}`]),
      ...(bad.user ? ["user may not be set"] : []),
      ...(bad.role ? ["role may not be set"] : []),
    ];
    const detail = `${setters} set forbidden securityContext.seLinuxOptions: ${what.join("; ")}`;
    return { reason: "seLinuxOptions", detail };
  };

const checkSysctls =
  (allowed: readonly string[]): PodRule =>
  ({ spec }) => {
    const names = (spec.securityContext?.sysctls ?? [])
      .map(({ name }) => name)
      .filter((name) => !allowed.includes(name));
    return names.length === 0 ? undefined : { reason: "forbidden sysctls", detail: names.join(", ") };
  };

const checkHostProcess: PodRule = ({ spec }) => {
  const isSet = (context: PodSecurityContext | SecurityContext | undefined) =>
    context?.windowsOptions?.hostProcess === true;
  const names = namesOf(spec, ({ securityContext }) => isSet(securityContext));
  const setters = settersText(isSet(spec.securityContext), names);
  if (setters === undefined) return undefined;
  return { reason: "hostProcess", detail: `${setters} must not set securityContext.windowsOptions.hostProcess=true` };
};

const seLinuxTypes = ["container_t", "container_init_t", "container_kvm_t"];
const sysctls = {
  v1_0: [
    "kernel.shm_rmid_forced",
    "net.ipv4.ip_local_port_range",
    "net.ipv4.tcp_syncookies",
    "net.ipv4.ping_group_range",
    "net.ipv4.ip_unprivileged_port_start",
  ],
  v1_27: ["net.ipv4.ip_local_reserved_ports"],
  v1_29: [
    "net.ipv4.tcp_keepalive_time",
    "net.ipv4.tcp_fin_timeout",
    "net.ipv4.tcp_keepalive_intvl",
    "net.ipv4.tcp_keepalive_probes",
  ],
  v1_32: ["net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem"],
};

/** The rules of the level baseline, in the order of their ids. */
export const baselineChecks: readonly PodCheck[] = [
  { id: "appArmorProfile", versions: [{ sinceMinor: 0, check: checkAppArmor }] },
  { id: "capabilities_baseline", versions: [{ sinceMinor: 0, check: checkCapabilities }] },
  { id: "hostNamespaces", versions: [{ sinceMinor: 0, check: checkHostNamespaces }] },
  { id: "hostPathVolumes", versions: [{ sinceMinor: 0, check: checkHostPaths }] },
  { id: "hostPorts", versions: [{ sinceMinor: 0, check: checkHostPorts }] },
  { id: "hostProbesAndHostLifecycle", versions: [{ sinceMinor: 34, check: checkHandlerHosts }] },
  { id: "privileged", versions: [{ sinceMinor: 0, check: checkPrivileged }] },
  {
    id: "procMount",
    versions: [
      { sinceMinor: 0, check: checkProcMount },
      { sinceMinor: 35, check: unlessUserNamespace(checkProcMount) },
    ],
  },
  {
    id: "seLinuxOptions",
    versions: [
      { sinceMinor: 0, check: checkSeLinux(seLinuxTypes) },
      { sinceMinor: 31, check: checkSeLinux([...seLinuxTypes, "container_engine_t"]) },
    ],
  },
  {
    id: "seccompProfile_baseline",
    versions: [
      { sinceMinor: 0, check: checkSeccompAnnotations },
      { sinceMinor: 19, check: checkSeccompTypes },
    ],
  },
  {
    id: "sysctls",
    versions: [
      { sinceMinor: 0, check: checkSysctls(sysctls.v1_0) },
      { sinceMinor: 27, check: checkSysctls([...sysctls.v1_0, ...sysctls.v1_27]) },
      { sinceMinor: 29, check: checkSysctls([...sysctls.v1_0, ...sysctls.v1_27, ...sysctls.v1_29]) },
      { sinceMinor: 32, check: checkSysctls(Object.values(sysctls).flat()) },
    ],
  },
  { id: "windowsHostProcess", versions: [{ sinceMinor: 0, check: checkHostProcess }] },
];
