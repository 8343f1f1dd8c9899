import { describe, expect, test } from "vitest";
import { detailOf, violationsOf } from "./evaluate-pod.ts";
import type { PodSpec } from "@kintsugi/api";
import type { PodLike } from "./pod-check.ts";
import type { LevelVersion } from "./pod-security-policy.ts";

const lawful = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ["ALL"] },
  runAsNonRoot: true,
  seccompProfile: { type: "RuntimeDefault" },
};

function aPod(spec: object, { security = {}, annotations = {} } = {}): PodLike {
  const containers = [{ name: "a", image: "i", securityContext: { ...lawful, ...security } }];
  return { metadata: { annotations }, spec: { containers, ...spec } as unknown as PodSpec };
}

function refused(pod: PodLike, level: LevelVersion["level"], minor = Infinity): string {
  return detailOf(violationsOf(pod, { level, minor }));
}

const bare = { metadata: {}, spec: { containers: [{ name: "a", image: "i" }] } as unknown as PodSpec };

test("a pod without security settings is baseline, and restricted rejects it in upstream's words", () => {
  expect(refused(bare, "baseline")).toBe("");
  expect(refused(bare, "restricted")).toBe(
    'allowPrivilegeEscalation != false (container "a" must set securityContext.allowPrivilegeEscalation=false), ' +
      'unrestricted capabilities (container "a" must set securityContext.capabilities.drop=["ALL"]), ' +
      'runAsNonRoot != true (pod or container "a" must set securityContext.runAsNonRoot=true), ' +
      'seccompProfile (pod or container "a" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")',
  );
});

test("a pod that sets every required field is restricted, and every pod is privileged", () => {
  expect(refused(aPod({}), "restricted")).toBe("");
  expect(refused(aPod({ hostNetwork: true, hostPID: true }), "privileged")).toBe("");
});

const baseline: [name: string, pod: PodLike, refusal: string][] = [
  [
    "namespaces of the host",
    aPod({ hostIPC: true, hostNetwork: true }),
    "host namespaces (hostNetwork=true, hostIPC=true)",
  ],
  [
    "paths of the host",
    aPod({
      volumes: [
        { name: "v", hostPath: { path: "/" } },
        { name: "w", hostPath: { path: "/" } },
      ],
    }),
    'hostPath volumes (volumes "v", "w")',
  ],
  [
    "ports of the host, also of init containers",
    aPod({ initContainers: [{ name: "b", ports: [{ hostPort: 80 }, { hostPort: 443 }] }] }),
    'hostPort (container "b" uses hostPorts 443, 80)',
  ],
  [
    "privileged containers, including ephemeral containers",
    aPod(
      { ephemeralContainers: [{ name: "d", securityContext: { privileged: true } }] },
      { security: { privileged: true } },
    ),
    'privileged (containers "a", "d" must not set securityContext.privileged=true)',
  ],
  [
    "capabilities",
    aPod({}, { security: { capabilities: { add: ["SYS_ADMIN", "NET_RAW", "CHOWN"] } } }),
    'non-default capabilities (container "a" must not include "NET_RAW", "SYS_ADMIN" in securityContext.capabilities.add)',
  ],
  [
    "an unmasked /proc",
    aPod({}, { security: { procMount: "Unmasked" } }),
    'procMount (container "a" must not set securityContext.procMount to "Unmasked")',
  ],
  [
    "SELinux",
    aPod(
      { securityContext: { seLinuxOptions: { type: "foo", user: "u" } } },
      { security: { seLinuxOptions: { role: "r" } } },
    ),
    'seLinuxOptions (pod and container "a" set forbidden securityContext.seLinuxOptions: type "foo"; user may not be set; role may not be set)',
  ],
  [
    "seccomp",
    aPod({ securityContext: { seccompProfile: { type: "Unconfined" } } }),
    'seccompProfile (pod must not set securityContext.seccompProfile.type to "Unconfined")',
  ],
  [
    "sysctls",
    aPod({ securityContext: { sysctls: [{ name: "kernel.msgmax" }, { name: "net.ipv4.tcp_rmem" }] } }),
    "forbidden sysctls (kernel.msgmax)",
  ],
  [
    "AppArmor",
    aPod(
      {},
      {
        security: { appArmorProfile: { type: "Unconfined" } },
        annotations: { "container.apparmor.security.beta.kubernetes.io/a": "unconfined" },
      },
    ),
    'forbidden AppArmor profiles (container "a" and annotation must not set AppArmor profile type to "Unconfined", "container.apparmor.security.beta.kubernetes.io/a=\\"unconfined\\"")',
  ],
  [
    "processes of the host on Windows",
    aPod({ securityContext: { windowsOptions: { hostProcess: true } } }),
    "hostProcess (pod must not set securityContext.windowsOptions.hostProcess=true)",
  ],
];

describe("baseline forbids", () => {
  test.each(baseline)("%s", (_name, pod, refusal) => {
    expect(refused(pod, "baseline")).toBe(refusal);
  });
});

const restricted: [name: string, pod: PodLike, refusal: string][] = [
  [
    "volumes of restricted types, including paths of the host",
    aPod({
      volumes: [
        { name: "v", hostPath: { path: "/" } },
        { name: "n", nfs: { server: "s", path: "/" } },
        { name: "e", emptyDir: {} },
      ],
    }),
    'restricted volume types (volumes "v", "n" use restricted volume types "hostPath", "nfs")',
  ],
  [
    "root",
    aPod({ securityContext: { runAsUser: 0, runAsNonRoot: false } }, { security: { runAsUser: 0 } }),
    'runAsNonRoot != true (pod must not set securityContext.runAsNonRoot=false), runAsUser=0 (pod and container "a" must not set runAsUser=0)',
  ],
  [
    "capabilities other than NET_BIND_SERVICE",
    aPod({}, { security: { capabilities: { add: ["CHOWN", "NET_BIND_SERVICE"] } } }),
    'unrestricted capabilities (container "a" must set securityContext.capabilities.drop=["ALL"]; container "a" must not include "CHOWN" in securityContext.capabilities.add)',
  ],
];

describe("restricted forbids", () => {
  test.each(restricted)("%s", (_name, pod, refusal) => {
    expect(refused(pod, "restricted")).toBe(refusal);
  });
});

test("each version has its own rules", () => {
  expect(refused(bare, "restricted", 7)).toMatch(/^runAsNonRoot != true \([^)]*\)$/);
  expect(refused(bare, "restricted", 8)).toContain("allowPrivilegeEscalation");
  expect(refused(bare, "restricted", 21)).not.toContain("capabilities");
  const sysctl = aPod({ securityContext: { sysctls: [{ name: "net.ipv4.tcp_keepalive_time" }] } });
  expect([28, 29].map((minor) => refused(sysctl, "baseline", minor) === "")).toEqual([false, true]);
  const engine = aPod({ securityContext: { seLinuxOptions: { type: "container_engine_t" } } });
  expect([30, 31].map((minor) => refused(engine, "baseline", minor) === "")).toEqual([false, true]);
  const annotated = aPod({}, { annotations: { "seccomp.security.alpha.kubernetes.io/pod": "unconfined" } });
  expect(refused(annotated, "baseline", 18)).toBe(
    'seccompProfile (forbidden annotation seccomp.security.alpha.kubernetes.io/pod="unconfined")',
  );
  expect(refused(annotated, "baseline", 19)).toBe("");
  const windows = { ...bare, spec: { ...bare.spec, os: { name: "windows" } } as PodSpec };
  expect(refused(windows, "restricted", 24)).toContain("seccompProfile");
  expect(refused(windows, "restricted", 25)).toMatch(/^runAsNonRoot != true \([^)]*\)$/);
  expect(refused(bare, "restricted", 999)).toBe(refused(bare, "restricted"));
});

test("since 1.34 probes and hooks cannot name a host", () => {
  const host = "169.254.169.254";
  const pod = aPod({
    initContainers: [{ name: "b", livenessProbe: { tcpSocket: { host: "db", port: 1 } } }],
    containers: [
      {
        name: "a",
        readinessProbe: { httpGet: { host, port: 80 } },
        lifecycle: { preStop: { httpGet: { host, port: 1 } } },
      },
      { name: "c", startupProbe: { httpGet: { host: "", port: 80 } } },
    ],
  });
  expect(refused(pod, "baseline", 33)).toBe("");
  expect(refused(pod, "baseline", 34)).toBe(
    `probe or lifecycle host (containers "a", "b" use probe or lifecycle hosts "${host}", "db")`,
  );
  expect(refused(pod, "baseline")).toBe(refused(pod, "baseline", 34));
});

test("since 1.35 a pod in a user namespace may run as its root, and baseline lets it unmask /proc", () => {
  const asRoot = aPod({ hostUsers: false }, { security: { runAsUser: 0, runAsNonRoot: undefined } });
  expect(refused(asRoot, "restricted", 34)).toContain("runAsUser=0");
  expect(refused(asRoot, "restricted", 35)).toBe("");
  const unmasked = aPod({ hostUsers: false }, { security: { procMount: "Unmasked" } });
  const refusal = 'procMount (container "a" must not set securityContext.procMount to "Unmasked")';
  expect([34, 35].map((minor) => refused(unmasked, "baseline", minor))).toEqual([refusal, ""]);
  expect(refused(unmasked, "restricted", 35)).toBe(refusal);
});

test("restricted allows image volumes", () => {
  expect(refused(aPod({ volumes: [{ name: "v", image: { reference: "r" } }] }), "restricted")).toBe("");
});
