import {
  type PodRule,
  allContainers,
  containersText,
  namesOf,
  plural,
  type PodCheck,
  type PodLike,
  quoteAll,
  settersText,
  sortedSet,
  unlessUserNamespace,
} from "./pod-check.ts";
import { checkProcMount } from "./baseline-checks.ts";
import { checkSeccompIsSet } from "./seccomp-checks.ts";

const checkPrivilegeEscalation: PodRule = ({ spec }) => {
  const names = namesOf(spec, ({ securityContext }) => securityContext?.allowPrivilegeEscalation !== false);
  if (names.length === 0) return undefined;
  const detail = `${containersText(names)} must set securityContext.allowPrivilegeEscalation=false`;
  return { reason: "allowPrivilegeEscalation != false", detail };
};

const checkCapabilities: PodRule = ({ spec }) => {
  const keeping = namesOf(spec, ({ securityContext }) => !(securityContext?.capabilities?.drop ?? []).includes("ALL"));
  const added = (list: readonly string[] = []) => list.filter((name) => name !== "NET_BIND_SERVICE");
  const adding = namesOf(spec, ({ securityContext }) => added(securityContext?.capabilities?.add).length > 0);
  const forbidden = sortedSet(
    allContainers(spec).flatMap(({ securityContext }) => added(securityContext?.capabilities?.add)),
  );
  const details = [
    ...(keeping.length === 0 ? [] : [`${containersText(keeping)} must set securityContext.capabilities.drop=["ALL"]`]),
    ...(adding.length === 0
      ? []
      : [`${containersText(adding)} must not include ${quoteAll(forbidden)} in securityContext.capabilities.add`]),
  ];
  return details.length === 0 ? undefined : { reason: "unrestricted capabilities", detail: details.join("; ") };
};

const allowedVolumes = [
  "configMap",
  "csi",
  "downwardAPI",
  "emptyDir",
  "ephemeral",
  "image",
  "persistentVolumeClaim",
  "projected",
  "secret",
] as const;
const restrictedVolumes = [
  "awsElasticBlockStore",
  "azureDisk",
  "azureFile",
  "cephfs",
  "cinder",
  "fc",
  "flexVolume",
  "flocker",
  "gcePersistentDisk",
  "gitRepo",
  "glusterfs",
  "hostPath",
  "iscsi",
  "nfs",
  "photonPersistentDisk",
  "portworxVolume",
  "quobyte",
  "rbd",
  "scaleIO",
  "storageos",
  "vsphereVolume",
] as const;

const checkVolumes: PodRule = ({ spec: { volumes = [] } }) => {
  const bad = volumes.filter((volume) => allowedVolumes.every((type) => volume[type] === undefined));
  if (bad.length === 0) return undefined;
  const types = sortedSet(
    bad.map((volume) => restrictedVolumes.find((type) => volume[type] !== undefined) ?? "unknown"),
  );
  const names = bad.map(({ name }) => name);
  const who = `${plural(names.length, "volume", "volumes")} ${quoteAll(names)} ${plural(names.length, "uses", "use")}`;
  const what = plural(types.length, "restricted volume type", "restricted volume types");
  return { reason: "restricted volume types", detail: `${who} ${what} ${quoteAll(types)}` };
};

const checkNonRoot: PodRule = ({ spec }) => {
  const ofPod = spec.securityContext?.runAsNonRoot;
  const setters = settersText(
    ofPod === false,
    namesOf(spec, ({ securityContext }) => securityContext?.runAsNonRoot === false),
  );
  const reason = "runAsNonRoot != true";
  if (setters !== undefined) return { reason, detail: `${setters} must not set securityContext.runAsNonRoot=false` };
  const names = namesOf(spec, ({ securityContext }) => (securityContext?.runAsNonRoot ?? ofPod) !== true);
  if (names.length === 0) return undefined;
  return { reason, detail: `pod or ${containersText(names)} must set securityContext.runAsNonRoot=true` };
};

const checkUser: PodRule = ({ spec }) => {
  const setters = settersText(
    spec.securityContext?.runAsUser === 0,
    namesOf(spec, ({ securityContext }) => securityContext?.runAsUser === 0),
  );
  return setters === undefined ? undefined : { reason: "runAsUser=0", detail: `${setters} must not set runAsUser=0` };
};

/** A Windows pod need not set fields that only Linux has. This applies since 1.25. */
const unlessWindows =
  (check: PodRule): PodRule =>
  (pod: PodLike) =>
    pod.spec.os?.name === "windows" ? undefined : check(pod);

/** The rules that the level restricted adds, in the order of their ids. */
export const restrictedChecks: readonly PodCheck[] = [
  {
    id: "allowPrivilegeEscalation",
    versions: [
      { sinceMinor: 8, check: checkPrivilegeEscalation },
      { sinceMinor: 25, check: unlessWindows(checkPrivilegeEscalation) },
    ],
  },
  {
    id: "capabilities_restricted",
    overrides: "capabilities_baseline",
    versions: [
      { sinceMinor: 22, check: checkCapabilities },
      { sinceMinor: 25, check: unlessWindows(checkCapabilities) },
    ],
  },
  { id: "restrictedVolumes", overrides: "hostPathVolumes", versions: [{ sinceMinor: 0, check: checkVolumes }] },
  { id: "procMount_restricted", overrides: "procMount", versions: [{ sinceMinor: 35, check: checkProcMount }] },
  {
    id: "runAsNonRoot",
    versions: [
      { sinceMinor: 0, check: checkNonRoot },
      { sinceMinor: 35, check: unlessUserNamespace(checkNonRoot) },
    ],
  },
  {
    id: "runAsUser",
    versions: [
      { sinceMinor: 23, check: checkUser },
      { sinceMinor: 35, check: unlessUserNamespace(checkUser) },
    ],
  },
  {
    id: "seccompProfile_restricted",
    overrides: "seccompProfile_baseline",
    versions: [
      { sinceMinor: 19, check: checkSeccompIsSet },
      { sinceMinor: 25, check: unlessWindows(checkSeccompIsSet) },
    ],
  },
];
