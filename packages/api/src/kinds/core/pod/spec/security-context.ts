import type { z } from "zod";
import { field, object, required } from "../../../../schema/fields.ts";
import { atomicList, bool, int64, oneOf, text } from "../../../../schema/types.ts";

export const AppArmorProfile = object(
  "io.k8s.api.core.v1.AppArmorProfile",
  "The AppArmor profile that confines a process.",
  () => ({
    type: required(1, oneOf("Unconfined", "RuntimeDefault", "Localhost")),
    localhostProfile: field(2, text),
  }),
);
export type AppArmorProfile = z.infer<typeof AppArmorProfile>;

export const Capabilities = object(
  "io.k8s.api.core.v1.Capabilities",
  "What a process may do of that which only root may.",
  () => ({
    add: field(1, atomicList(text)),
    drop: field(2, atomicList(text)),
  }),
);
export type Capabilities = z.infer<typeof Capabilities>;

export const SELinuxOptions = object("io.k8s.api.core.v1.SELinuxOptions", "The SELinux label of a process.", () => ({
  user: field(1, text),
  role: field(2, text),
  type: field(3, text),
  level: field(4, text),
}));
export type SELinuxOptions = z.infer<typeof SELinuxOptions>;

export const SeccompProfile = object(
  "io.k8s.api.core.v1.SeccompProfile",
  "Which system calls a process may make.",
  () => ({
    type: required(1, oneOf("Unconfined", "RuntimeDefault", "Localhost")),
    localhostProfile: field(2, text),
  }),
);
export type SeccompProfile = z.infer<typeof SeccompProfile>;

export const WindowsSecurityContextOptions = object(
  "io.k8s.api.core.v1.WindowsSecurityContextOptions",
  "As whom a process runs on Windows.",
  () => ({
    gmsaCredentialSpecName: field(1, text),
    gmsaCredentialSpec: field(2, text),
    runAsUserName: field(3, text),
    hostProcess: field(4, bool),
  }),
);
export type WindowsSecurityContextOptions = z.infer<typeof WindowsSecurityContextOptions>;

export const SecurityContext = object(
  "io.k8s.api.core.v1.SecurityContext",
  "As whom and how confined a container runs.",
  () => ({
    capabilities: field(1, Capabilities, "What it may do of that which only root may."),
    privileged: field(2, bool, "It may do all that the node may."),
    seLinuxOptions: field(3, SELinuxOptions),
    runAsUser: field(4, int64, "Its user."),
    runAsNonRoot: field(5, bool, "It does not start as root."),
    readOnlyRootFilesystem: field(6, bool, "Its image's files cannot be written to."),
    allowPrivilegeEscalation: field(7, bool, "It may become more than it was."),
    runAsGroup: field(8, int64, "Its group."),
    procMount: field(9, text),
    windowsOptions: field(10, WindowsSecurityContextOptions),
    seccompProfile: field(11, SeccompProfile),
    appArmorProfile: field(12, AppArmorProfile),
  }),
);
export type SecurityContext = z.infer<typeof SecurityContext>;

export const Sysctl = object("io.k8s.api.core.v1.Sysctl", "A setting of the kernel for a pod.", () => ({
  name: required(1, text),
  value: required(2, text),
}));
export type Sysctl = z.infer<typeof Sysctl>;

export const PodSecurityContext = object(
  "io.k8s.api.core.v1.PodSecurityContext",
  "As whom and how confined all containers of a pod run.",
  () => ({
    seLinuxOptions: field(1, SELinuxOptions),
    runAsUser: field(2, int64),
    runAsNonRoot: field(3, bool),
    supplementalGroups: field(4, atomicList(int64)),
    fsGroup: field(5, int64),
    runAsGroup: field(6, int64),
    sysctls: field(7, atomicList(Sysctl)),
    windowsOptions: field(8, WindowsSecurityContextOptions),
    fsGroupChangePolicy: field(9, text),
    seccompProfile: field(10, SeccompProfile),
    appArmorProfile: field(11, AppArmorProfile),
    supplementalGroupsPolicy: field(12, text),
    seLinuxChangePolicy: field(13, text),
  }),
);
export type PodSecurityContext = z.infer<typeof PodSecurityContext>;
