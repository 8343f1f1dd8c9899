import type { PodSpec } from "../spec/pod-spec.ts";
import type { AppArmorProfile, SeccompProfile, SecurityContext, Sysctl } from "../spec/security-context.ts";
import type { Faults } from "../../../../validation/faults.ts";
import { validateDescendingPath } from "../../../../validation/file-paths.ts";

/**
 * Users and groups are 31-bit numbers: 2^32-1 means "none" to the kernel, and some tools read them
 * as signed.
 */
const idMax = 2 ** 31 - 1;

export function validatePodSecurity(spec: PodSpec, path: string, faults: Faults): void {
  const context = spec.securityContext;
  if (context === undefined) return;
  const field = `${path}.securityContext`;
  validateId(context.fsGroup, `${field}.fsGroup`, faults);
  validateId(context.runAsUser, `${field}.runAsUser`, faults);
  validateId(context.runAsGroup, `${field}.runAsGroup`, faults);
  for (const [index, group] of (context.supplementalGroups ?? []).entries()) {
    validateId(group, `${field}.supplementalGroups[${index}]`, faults);
  }
  if (spec.shareProcessNamespace === true && spec.hostPID === true) {
    faults.invalid(`${path}.shareProcessNamespace`, true, "ShareProcessNamespace and HostPID cannot both be enabled");
  }
  if (context.sysctls !== undefined) validateSysctls(context.sysctls, { path: `${field}.sysctls`, spec }, faults);
  validateWord(
    context.fsGroupChangePolicy,
    { path: `${field}.fsGroupChangePolicy`, words: ["Always", "OnRootMismatch"] },
    faults,
  );
  validateWord(
    context.supplementalGroupsPolicy,
    { path: `${field}.supplementalGroupsPolicy`, words: ["Merge", "Strict"] },
    faults,
  );
  validateWord(
    context.seLinuxChangePolicy,
    { path: `${field}.seLinuxChangePolicy`, words: ["MountOption", "Recursive"] },
    faults,
  );
  validateSeccomp(context.seccompProfile, `${field}.seccompProfile`, faults);
  validateAppArmor(context.appArmorProfile, `${field}.appArmorProfile`, faults);
}

/** A pod with a user namespace of its own cannot join the node's other namespaces. */
export function validateHostUsers(spec: PodSpec, path: string, faults: Faults): void {
  if (spec.hostUsers !== false) return;
  const detail = "when `hostUsers` is false";
  if (spec.hostNetwork === true) faults.forbidden(`${path}.hostNetwork`, detail);
  if (spec.hostPID === true) faults.forbidden(`${path}.hostPID`, detail);
  if (spec.hostIPC === true) faults.forbidden(`${path}.hostIPC`, detail);
}

export function validateContainerSecurity(
  context: SecurityContext,
  scope: { path: string; hostUsers: boolean },
  faults: Faults,
): void {
  const { path } = scope;
  validateId(context.runAsUser, `${path}.runAsUser`, faults);
  validateId(context.runAsGroup, `${path}.runAsGroup`, faults);
  if (context.procMount !== undefined) {
    faults.oneOf(`${path}.procMount`, context.procMount, ["Default", "Unmasked"]);
    if (scope.hostUsers && context.procMount === "Unmasked") {
      faults.invalid(`${path}.procMount`, context.procMount, "`hostUsers` must be false to use `Unmasked`");
    }
  }
  validateSeccomp(context.seccompProfile, `${path}.seccompProfile`, faults);
  validateAppArmor(context.appArmorProfile, `${path}.appArmorProfile`, faults);
  if (context.allowPrivilegeEscalation === false) {
    if (context.privileged === true) {
      faults.invalid(path, context, "cannot set `allowPrivilegeEscalation` to false and `privileged` to true");
    }
    // Upstream compares with this spelling only, and accepts SYS_ADMIN, which runtimes accept too.
    if ((context.capabilities?.add ?? []).includes("CAP_SYS_ADMIN")) {
      const detail = "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN";
      faults.invalid(path, context, detail);
    }
  }
}

function validateId(id: number | undefined, path: string, faults: Faults): void {
  if (id !== undefined && (id < 0 || id > idMax)) {
    faults.invalid(path, id, `must be between 0 and ${idMax}, inclusive`);
  }
}

function validateWord(
  word: string | undefined,
  context: { path: string; words: readonly string[] },
  faults: Faults,
): void {
  if (word !== undefined && !context.words.includes(word)) faults.notSupported(context.path, word, context.words);
}

const sysctlName = /^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$/;

function validateSysctls(sysctls: readonly Sysctl[], context: { path: string; spec: PodSpec }, faults: Faults): void {
  const names = new Set<string>();
  for (const [index, { name }] of sysctls.entries()) {
    const field = `${context.path}[${index}].name`;
    if (name === "") faults.required(field);
    else if (name.length > 253 || !sysctlName.test(name)) {
      faults.invalid(field, name, `must have at most 253 characters and match regex ${sysctlName.source}`);
    } else if (names.has(name)) faults.duplicate(field, name);
    names.add(name);
    const dotted = name.replaceAll("/", ".");
    if (context.spec.hostNetwork === true && dotted.startsWith("net.")) {
      faults.invalid(field, name, "may not be specified when 'hostNetwork' is true");
    }
    const isIpc = /^kernel\.(?:shm|msg)|^kernel\.sem$|^fs\.mqueue\./.test(dotted);
    if (context.spec.hostIPC === true && isIpc)
      faults.invalid(field, name, "may not be specified when 'hostIPC' is true");
  }
}

const profileTypes = ["Localhost", "RuntimeDefault", "Unconfined"];

function validateSeccomp(profile: SeccompProfile | undefined, path: string, faults: Faults): void {
  if (profile === undefined) return;
  const { localhostProfile } = profile;
  const type: string = profile.type;
  if (type === "") faults.required(`${path}.type`, "type is required when seccompProfile is set");
  else if (!profileTypes.includes(type)) faults.notSupported(`${path}.type`, type, profileTypes);
  if (type !== "Localhost" && localhostProfile !== undefined) {
    faults.invalid(`${path}.localhostProfile`, profile, "can only be set when seccomp type is Localhost");
  }
  if (type !== "Localhost") return;
  if (localhostProfile === undefined) {
    faults.required(`${path}.localhostProfile`, "must be set when seccomp type is Localhost");
  } else validateDescendingPath(localhostProfile, `${path}.localhostProfile`, faults);
}

function validateAppArmor(profile: AppArmorProfile | undefined, path: string, faults: Faults): void {
  if (profile === undefined) return;
  const { localhostProfile } = profile;
  const type: string = profile.type;
  if (type === "") faults.required(`${path}.type`, "type is required when appArmorProfile is set");
  else if (!profileTypes.includes(type)) faults.notSupported(`${path}.type`, type, profileTypes);
  const field = `${path}.localhostProfile`;
  if (type !== "Localhost") {
    if (localhostProfile !== undefined) {
      faults.invalid(field, localhostProfile, "can only be set when AppArmor type is Localhost");
    }
    return;
  }
  if (localhostProfile === undefined || localhostProfile.trim() === "") {
    faults.required(field, "must be set when AppArmor type is Localhost");
  } else if (localhostProfile.trim() !== localhostProfile) {
    faults.invalid(field, localhostProfile, "must not be padded with whitespace");
  }
}
