import type { Volume } from "../../volumes/volume.ts";
import { checkLabel1123, checkSubdomain1123 } from "../../../../../values/names.ts";
import { parseQuantity } from "../../../../../values/quantity.ts";
import type { Faults } from "../../../../../validation/faults.ts";
import { validateClaimTemplate } from "../../../persistent-volume-claim/claim-validation.ts";
import { validateNoBacksteps } from "../../../../../validation/file-paths.ts";
import { validateFileVolume } from "./volume-files.ts";
import type { VolumesByName } from "./volume-mounts.ts";

/** Checks the pod's volumes and returns the valid volumes, which containers may mount. */
export function validateVolumes(
  volumes: readonly Volume[],
  context: { path: string; podName: string },
  faults: Faults,
): VolumesByName {
  const sound = new Map<string, Volume>();
  const createdClaims = new Set(
    volumes.filter(({ ephemeral }) => ephemeral !== undefined).map(({ name }) => `${context.podName}-${name}`),
  );
  for (const [index, volume] of volumes.entries()) {
    const path = `${context.path}[${index}]`;
    const before = faults.list.length;
    validateVolume(volume, { path, podName: context.podName }, faults);
    if (volume.name === "") faults.required(`${path}.name`);
    else faults.invalidEach(`${path}.name`, volume.name, checkLabel1123(volume.name));
    if (sound.has(volume.name)) faults.duplicate(`${path}.name`, volume.name);
    if (faults.list.length === before) sound.set(volume.name, volume);
    const claim = volume.persistentVolumeClaim?.claimName;
    if (claim !== undefined && context.podName !== "" && createdClaims.has(claim)) {
      const detail = "must not reference a PVC that gets created for an ephemeral volume";
      faults.invalid(`${path}.persistentVolumeClaim.claimName`, claim, detail);
    }
  }
  return sound;
}

function validateVolume(volume: Volume, context: { path: string; podName: string }, faults: Faults): void {
  // An empty directory counts as the first source of a volume that has several, as in upstream.
  let chosen: keyof Volume | undefined = volume.emptyDir === undefined ? undefined : "emptyDir";
  for (const member of Object.keys(volume) as (keyof Volume)[]) {
    if (member === "name" || member === "emptyDir" || volume[member] === undefined) continue;
    if (chosen === undefined) chosen = member;
    else faults.forbidden(`${context.path}.${member}`, "may not specify more than 1 volume type");
  }
  if (chosen === undefined) return faults.required(context.path, "must specify a volume type");
  const path = `${context.path}.${chosen}`;
  const source = volume[chosen] as Readonly<Record<string, unknown>>;
  for (const field of requiredMembers[chosen] ?? []) {
    const value = source[field];
    if (value === undefined || value === "" || (Array.isArray(value) && value.length === 0))
      faults.required(`${path}.${field}`);
  }
  validateOwnRules(volume, { ...context, path }, faults);
  validateFileVolume(volume, path, faults);
}

/** Each source requires these members. */
const requiredMembers: { readonly [Source in keyof Volume]?: readonly string[] } = {
  hostPath: ["path"],
  gitRepo: ["repository"],
  nfs: ["server", "path"],
  iscsi: ["targetPortal", "iqn"],
  glusterfs: ["endpoints", "path"],
  persistentVolumeClaim: ["claimName"],
  rbd: ["monitors", "image"],
  cephfs: ["monitors"],
  cinder: ["volumeID"],
  gcePersistentDisk: ["pdName"],
  awsElasticBlockStore: ["volumeID"],
  azureFile: ["secretName", "shareName"],
  azureDisk: ["diskName", "diskURI"],
  flexVolume: ["driver"],
  vsphereVolume: ["volumePath"],
  photonPersistentDisk: ["pdID"],
  portworxVolume: ["volumeID"],
  quobyte: ["registry", "volume"],
  scaleIO: ["gateway", "system", "volumeName"],
  storageos: ["volumeName"],
  csi: ["driver"],
  ephemeral: ["volumeClaimTemplate"],
};

function validateOwnRules(volume: Volume, context: { path: string; podName: string }, faults: Faults): void {
  const { emptyDir, hostPath, iscsi, nfs, csi, image, ephemeral, name } = volume;
  if (emptyDir?.sizeLimit !== undefined && parseQuantity(emptyDir.sizeLimit).nanos < 0n) {
    faults.forbidden(`${context.path}.sizeLimit`, "SizeLimit field must be a valid resource quantity");
  }
  if (hostPath !== undefined) validateHostPath(hostPath, context.path, faults);
  if (iscsi !== undefined && (iscsi.lun < 0 || iscsi.lun > 255)) {
    faults.invalid(`${context.path}.lun`, iscsi.lun, "must be between 0 and 255, inclusive");
  }
  if (nfs !== undefined && nfs.path !== "" && !nfs.path.startsWith("/")) {
    faults.invalid(`${context.path}.path`, nfs.path, "must be an absolute path");
  }
  if (csi !== undefined && csi.driver !== "") {
    faults.invalidEach(`${context.path}.driver`, csi.driver, checkSubdomain1123(csi.driver.toLowerCase()));
  }
  if (image !== undefined) {
    if ((image.reference ?? "") === "") faults.required(`${context.path}.reference`);
    const { pullPolicy } = image;
    if (pullPolicy !== undefined)
      faults.oneOf(`${context.path}.pullPolicy`, pullPolicy, ["Always", "IfNotPresent", "Never"]);
  }
  const template = ephemeral?.volumeClaimTemplate;
  if (template !== undefined) validateClaimTemplate(template, `${context.path}.volumeClaimTemplate`, faults);
  if (ephemeral !== undefined && context.podName !== "" && name !== "") {
    const claim = `${context.podName}-${name}`;
    const problems = checkSubdomain1123(claim).map((problem) => `PVC name ${JSON.stringify(claim)}: ${problem}`);
    faults.invalidEach(`${context.path.slice(0, context.path.lastIndexOf("."))}.name`, name, problems);
  }
}

const hostPathTypes = [
  "",
  "BlockDevice",
  "CharDevice",
  "Directory",
  "DirectoryOrCreate",
  "File",
  "FileOrCreate",
  "Socket",
];

export function validateHostPath({ path, type }: NonNullable<Volume["hostPath"]>, field: string, faults: Faults): void {
  validateNoBacksteps(path, `${field}.path`, faults);
  if (type !== undefined && !hostPathTypes.includes(type)) faults.notSupported(`${field}.type`, type, hostPathTypes);
}
