import type { z } from "zod";
import { field, object, required } from "../../../../schema/fields.ts";
import { atomicList, bool, int64, oneOf, text } from "../../../../schema/types.ts";

export const AppArmorProfile = object(
  "io.k8s.api.core.v1.AppArmorProfile",
  "AppArmorProfile selects the AppArmor confinement of a container.",
  () => ({
    type: required(
      1,
      oneOf("Unconfined", "RuntimeDefault", "Localhost"),
      "Type of the profile: RuntimeDefault uses the runtime's default profile, Localhost uses a profile that is loaded on the node, Unconfined disables AppArmor.",
    ),
    localhostProfile: field(
      2,
      text,
      "Name of a profile that is loaded on the node. Required for the type Localhost, and forbidden for the other types.",
    ),
  }),
);
export type AppArmorProfile = z.infer<typeof AppArmorProfile>;

export const Capabilities = object(
  "io.k8s.api.core.v1.Capabilities",
  "Capabilities adds and removes Linux capabilities of a container.",
  () => ({
    add: field(1, atomicList(text), "Capabilities to add, such as NET_ADMIN."),
    drop: field(2, atomicList(text), "Capabilities to remove. ALL removes all capabilities."),
  }),
);
export type Capabilities = z.infer<typeof Capabilities>;

export const SELinuxOptions = object(
  "io.k8s.api.core.v1.SELinuxOptions",
  "SELinuxOptions sets the SELinux label of a container.",
  () => ({
    user: field(1, text, "SELinux user of the label."),
    role: field(2, text, "SELinux role of the label."),
    type: field(3, text, "SELinux type of the label."),
    level: field(4, text, "SELinux level of the label."),
  }),
);
export type SELinuxOptions = z.infer<typeof SELinuxOptions>;

export const SeccompProfile = object(
  "io.k8s.api.core.v1.SeccompProfile",
  "SeccompProfile selects the system call filter of a container.",
  () => ({
    type: required(
      1,
      oneOf("Unconfined", "RuntimeDefault", "Localhost"),
      "Type of the profile: RuntimeDefault uses the runtime's default profile, Localhost uses a file on the node, Unconfined disables the filter.",
    ),
    localhostProfile: field(
      2,
      text,
      "Path of the profile below the kubelet's seccomp directory. Required for the type Localhost, and forbidden for the other types.",
    ),
  }),
);
export type SeccompProfile = z.infer<typeof SeccompProfile>;

export const WindowsSecurityContextOptions = object(
  "io.k8s.api.core.v1.WindowsSecurityContextOptions",
  "WindowsSecurityContextOptions contains security options for containers on Windows.",
  () => ({
    gmsaCredentialSpecName: field(1, text, "Name of the container's GMSA credential spec."),
    gmsaCredentialSpec: field(2, text, "Contents of the credential spec, set by the GMSA admission webhook."),
    runAsUserName: field(3, text, "Windows user of the entrypoint. Defaults to the user of the image."),
    hostProcess: field(
      4,
      bool,
      "Runs the container as a host process if true. Must be the same for all containers of a pod.",
    ),
  }),
);
export type WindowsSecurityContextOptions = z.infer<typeof WindowsSecurityContextOptions>;

export const SecurityContext = object(
  "io.k8s.api.core.v1.SecurityContext",
  "SecurityContext sets the privileges of one container. It takes precedence over the pod's security context.",
  () => ({
    capabilities: field(
      1,
      Capabilities,
      "Capabilities to add and remove. Defaults to the capabilities of the runtime.",
    ),
    privileged: field(
      2,
      bool,
      "Gives the container nearly all privileges of root on the node if true. Defaults to false.",
    ),
    seLinuxOptions: field(3, SELinuxOptions, "SELinux label of the container."),
    runAsUser: field(4, int64, "User ID of the entrypoint. Defaults to the user of the image."),
    runAsNonRoot: field(5, bool, "Refuses to start the container as user 0 if true."),
    readOnlyRootFilesystem: field(
      6,
      bool,
      "Makes the container's root filesystem read-only if true. Defaults to false.",
    ),
    allowPrivilegeEscalation: field(
      7,
      bool,
      "Allows a process to gain more privileges than its parent unless false. Always true for privileged containers.",
    ),
    runAsGroup: field(8, int64, "Primary group ID of the entrypoint. Defaults to the default group of the runtime."),
    procMount: field(
      9,
      text,
      "Type of the /proc mount: Default masks sensitive paths, Unmasked exposes all paths. Defaults to Default.",
    ),
    windowsOptions: field(10, WindowsSecurityContextOptions, "Options for containers on Windows."),
    seccompProfile: field(11, SeccompProfile, "System call filter of the container."),
    appArmorProfile: field(12, AppArmorProfile, "AppArmor profile of the container."),
  }),
);
export type SecurityContext = z.infer<typeof SecurityContext>;

export const Sysctl = object("io.k8s.api.core.v1.Sysctl", "Sysctl is one kernel parameter of a pod.", () => ({
  name: required(1, text, "Name of the parameter, such as net.core.somaxconn."),
  value: required(2, text, "Value of the parameter."),
}));
export type Sysctl = z.infer<typeof Sysctl>;

export const PodSecurityContext = object(
  "io.k8s.api.core.v1.PodSecurityContext",
  "PodSecurityContext sets the privileges of a pod and the defaults of its containers.",
  () => ({
    seLinuxOptions: field(1, SELinuxOptions, "SELinux label for containers that do not set seLinuxOptions."),
    runAsUser: field(2, int64, "User ID for containers that do not set runAsUser. Defaults to the user of the image."),
    runAsNonRoot: field(3, bool, "Refuses to start containers as user 0 if true."),
    supplementalGroups: field(
      4,
      atomicList(int64),
      "Groups of the first process of each container, in addition to its primary group and fsGroup.",
    ),
    fsGroup: field(
      5,
      int64,
      "ID of the group that owns the volumes that support ownership. The processes of all containers belong to the group.",
    ),
    runAsGroup: field(6, int64, "Primary group ID for containers that do not set runAsGroup."),
    sysctls: field(7, atomicList(Sysctl), "Kernel parameters of the pod. Only namespaced parameters are allowed."),
    windowsOptions: field(8, WindowsSecurityContextOptions, "Options for all containers on Windows."),
    fsGroupChangePolicy: field(
      9,
      text,
      "Policy for changing a volume's ownership: Always changes the ownership at every mount, OnRootMismatch only if the ownership of the volume's root differs. Defaults to Always.",
    ),
    seccompProfile: field(10, SeccompProfile, "System call filter for containers that do not set seccompProfile."),
    appArmorProfile: field(11, AppArmorProfile, "AppArmor profile for containers that do not set appArmorProfile."),
    supplementalGroupsPolicy: field(
      12,
      text,
      "Handling of groups that the image defines for the user: Merge adds these groups to the process, Strict ignores these groups. Defaults to Merge.",
    ),
    seLinuxChangePolicy: field(
      13,
      text,
      "SELinux labeling of volumes: MountOption uses a mount option, Recursive relabels every file. Defaults to MountOption if possible.",
    ),
  }),
);
export type PodSecurityContext = z.infer<typeof PodSecurityContext>;
