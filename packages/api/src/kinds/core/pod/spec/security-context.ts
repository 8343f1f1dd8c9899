import type { z } from "zod";
import { field, object, required } from "../../../../schema/fields.ts";
import { atomicList, bool, int64, oneOf, text } from "../../../../schema/types.ts";

export const AppArmorProfile = object(
  "io.k8s.api.core.v1.AppArmorProfile",
  "The profile selects the AppArmor confinement of a container.",
  () => ({
    type: required(
      1,
      oneOf("Unconfined", "RuntimeDefault", "Localhost"),
      "RuntimeDefault selects the runtime's own profile, Localhost one that is loaded on the node, and Unconfined none.",
    ),
    localhostProfile: field(
      2,
      text,
      "The profile with this name must be loaded on the node; it is required if and only if the type is Localhost.",
    ),
  }),
);
export type AppArmorProfile = z.infer<typeof AppArmorProfile>;

export const Capabilities = object(
  "io.k8s.api.core.v1.Capabilities",
  "Capabilities changes the set of Linux capabilities of a container.",
  () => ({
    add: field(1, atomicList(text), "The container gains these capabilities, such as NET_ADMIN."),
    drop: field(2, atomicList(text), "The container loses these capabilities; ALL drops every one."),
  }),
);
export type Capabilities = z.infer<typeof Capabilities>;

export const SELinuxOptions = object(
  "io.k8s.api.core.v1.SELinuxOptions",
  "SELinuxOptions sets the SELinux label of a container.",
  () => ({
    user: field(1, text, "The label has this SELinux user."),
    role: field(2, text, "The label has this SELinux role."),
    type: field(3, text, "The label has this SELinux type."),
    level: field(4, text, "The label has this SELinux level."),
  }),
);
export type SELinuxOptions = z.infer<typeof SELinuxOptions>;

export const SeccompProfile = object(
  "io.k8s.api.core.v1.SeccompProfile",
  "The profile selects the filter of system calls for a container.",
  () => ({
    type: required(
      1,
      oneOf("Unconfined", "RuntimeDefault", "Localhost"),
      "RuntimeDefault selects the runtime's own profile, Localhost a file on the node, and Unconfined none.",
    ),
    localhostProfile: field(
      2,
      text,
      "The profile is read from this path below the kubelet's seccomp directory; it is required if and only if the type is Localhost.",
    ),
  }),
);
export type SeccompProfile = z.infer<typeof SeccompProfile>;

export const WindowsSecurityContextOptions = object(
  "io.k8s.api.core.v1.WindowsSecurityContextOptions",
  "The options apply to containers on Windows.",
  () => ({
    gmsaCredentialSpecName: field(1, text, "The container uses the GMSA credential spec with this name."),
    gmsaCredentialSpec: field(2, text, "The GMSA admission webhook inlines the contents of the credential spec here."),
    runAsUserName: field(3, text, "The entrypoint runs as this Windows user; the default is the user of the image."),
    hostProcess: field(
      4,
      bool,
      "The container runs as a host process when this is true; all containers of a pod must agree.",
    ),
  }),
);
export type WindowsSecurityContextOptions = z.infer<typeof WindowsSecurityContextOptions>;

export const SecurityContext = object(
  "io.k8s.api.core.v1.SecurityContext",
  "The security context sets the privileges of one container and takes precedence over that of the pod.",
  () => ({
    capabilities: field(
      1,
      Capabilities,
      "The container gains and loses these capabilities; the default set is that of the runtime.",
    ),
    privileged: field(
      2,
      bool,
      "The container has practically all privileges of root on the node when this is true; the default is false.",
    ),
    seLinuxOptions: field(3, SELinuxOptions, "The container runs with this SELinux label."),
    runAsUser: field(4, int64, "The entrypoint runs with this user ID; the default is the user of the image."),
    runAsNonRoot: field(5, bool, "The kubelet refuses to start the container as user 0 when this is true."),
    readOnlyRootFilesystem: field(
      6,
      bool,
      "The root filesystem of the container is read-only when this is true; the default is false.",
    ),
    allowPrivilegeEscalation: field(
      7,
      bool,
      "A process may gain more privileges than its parent unless this is false; it is always true for privileged containers.",
    ),
    runAsGroup: field(8, int64, "The entrypoint runs with this primary group ID; the default is that of the runtime."),
    procMount: field(9, text, "Default masks sensitive parts of /proc, and Unmasked shows all of it."),
    windowsOptions: field(10, WindowsSecurityContextOptions, "These options apply to containers on Windows."),
    seccompProfile: field(11, SeccompProfile, "The container runs with this filter of system calls."),
    appArmorProfile: field(12, AppArmorProfile, "The container runs with this AppArmor profile."),
  }),
);
export type SecurityContext = z.infer<typeof SecurityContext>;

export const Sysctl = object("io.k8s.api.core.v1.Sysctl", "A Sysctl is one kernel parameter of a pod.", () => ({
  name: required(1, text, "The parameter has this name, such as net.core.somaxconn."),
  value: required(2, text, "The parameter has this value."),
}));
export type Sysctl = z.infer<typeof Sysctl>;

export const PodSecurityContext = object(
  "io.k8s.api.core.v1.PodSecurityContext",
  "The security context sets the privileges of a pod and the defaults of its containers.",
  () => ({
    seLinuxOptions: field(1, SELinuxOptions, "All containers run with this SELinux label unless they set their own."),
    runAsUser: field(
      2,
      int64,
      "Entrypoints run with this user ID unless a container sets its own; the default is the user of the image.",
    ),
    runAsNonRoot: field(3, bool, "The kubelet refuses to start containers as user 0 when this is true."),
    supplementalGroups: field(
      4,
      atomicList(int64),
      "The first process of each container has these groups in addition to its primary group and fsGroup.",
    ),
    fsGroup: field(
      5,
      int64,
      "Volumes that support ownership belong to this group, and all containers are members of it.",
    ),
    runAsGroup: field(6, int64, "Entrypoints run with this primary group ID unless a container sets its own."),
    sysctls: field(
      7,
      atomicList(Sysctl),
      "The pod runs with these kernel parameters, limited to those that are namespaced.",
    ),
    windowsOptions: field(8, WindowsSecurityContextOptions, "These options apply to all containers on Windows."),
    fsGroupChangePolicy: field(
      9,
      text,
      "Always, the default, changes the ownership of a volume at every mount; OnRootMismatch does so only if the root of the volume differs.",
    ),
    seccompProfile: field(
      10,
      SeccompProfile,
      "All containers run with this filter of system calls unless they set their own.",
    ),
    appArmorProfile: field(
      11,
      AppArmorProfile,
      "All containers run with this AppArmor profile unless they set their own.",
    ),
    supplementalGroupsPolicy: field(
      12,
      text,
      "Merge, the default, adds the groups that the image defines for the user; Strict adds none.",
    ),
    seLinuxChangePolicy: field(
      13,
      text,
      "MountOption labels volumes through a mount option, and Recursive relabels every file; the default is MountOption where it is possible.",
    ),
  }),
);
export type PodSecurityContext = z.infer<typeof PodSecurityContext>;
