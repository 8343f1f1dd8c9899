import type { BoundPod } from "../../model/bound-pod.ts";

/**
 * Sysctls that a pod may set without any effect outside itself (sysctl/safe_sysctls.go). All others
 * need a node that allows them.
 */
const safe: ReadonlySet<string> = new Set([
  "kernel.shm_rmid_forced",
  "net.ipv4.ip_local_port_range",
  "net.ipv4.tcp_syncookies",
  "net.ipv4.ping_group_range",
  "net.ipv4.ip_unprivileged_port_start",
  "net.ipv4.ip_local_reserved_ports",
  "net.ipv4.tcp_keepalive_time",
  "net.ipv4.tcp_fin_timeout",
  "net.ipv4.tcp_keepalive_intvl",
  "net.ipv4.tcp_keepalive_probes",
  "net.ipv4.tcp_rmem",
  "net.ipv4.tcp_wmem",
]);

/**
 * Returns the reason why a pod may not set one of its sysctls, in upstream's words
 * (sysctl/allowlist.go).
 */
export function forbiddenSysctl({ spec }: BoundPod): string | undefined {
  for (const { name: written } of spec.securityContext?.sysctls ?? []) {
    const name = written.replaceAll("/", ".");
    if (!safe.has(name)) return `forbidden sysctl: "${name}" not allowlisted`;
    if (spec.hostNetwork && name.startsWith("net.")) {
      return `forbidden sysctl: "${name}" not allowed with host net enabled`;
    }
    if (spec.hostIPC && name.startsWith("kernel.shm")) {
      return `forbidden sysctl: "${name}" not allowed with host ipc enabled`;
    }
  }
  return undefined;
}
