import { checkLabel1123, checkSubdomain1123 } from "../../../values/names.ts";
import type { Faults } from "../../../validation/faults.ts";
import { validateNoBacksteps } from "../../../validation/file-paths.ts";
import { validateHostPath } from "../pod/validation/volumes/volumes.ts";
import type { SecretReference } from "../references.ts";
import type { CSIPersistentVolumeSource, ISCSIPersistentVolumeSource } from "./persistent-volume-sources.ts";
import type { PersistentVolumeSpec } from "./persistent-volume.ts";

/** Each source with its required fields, in upstream's order of checks. */
const sources = {
  hostPath: ["path"],
  gcePersistentDisk: ["pdName"],
  awsElasticBlockStore: ["volumeID"],
  glusterfs: ["endpoints", "path"],
  flocker: [],
  nfs: ["server", "path"],
  rbd: ["monitors", "image"],
  quobyte: ["registry", "volume"],
  cephfs: ["monitors"],
  iscsi: ["targetPortal", "iqn"],
  cinder: ["volumeID"],
  fc: [],
  flexVolume: ["driver"],
  azureFile: ["secretName", "shareName"],
  vsphereVolume: ["volumePath"],
  photonPersistentDisk: ["pdID"],
  portworxVolume: ["volumeID"],
  azureDisk: ["diskName", "diskURI"],
  scaleIO: ["gateway", "system", "volumeName"],
  local: ["path"],
  storageos: ["volumeName"],
  csi: ["driver", "volumeHandle"],
} as const satisfies { readonly [Source in keyof PersistentVolumeSpec]?: readonly string[] };

export type SourceName = keyof typeof sources;

export const sourceNames = Object.keys(sources) as readonly SourceName[];

/** Checks that exactly one source is set, and that it is valid. */
export function validateSource(spec: PersistentVolumeSpec, path: string, faults: Faults): void {
  let chosen: SourceName | undefined;
  for (const name of sourceNames) {
    if (spec[name] === undefined) continue;
    if (chosen === undefined) chosen = name;
    else faults.forbidden(`${path}.${name}`, "may not specify more than 1 volume type");
  }
  if (chosen === undefined) return faults.required(path, "must specify a volume type");
  const source = spec[chosen] as Readonly<Record<string, unknown>>;
  for (const field of sources[chosen]) {
    const value = source[field];
    if (value === undefined || value === "" || (Array.isArray(value) && value.length === 0)) {
      faults.required(`${path}.${chosen}.${field}`);
    }
  }
  validateOwnRules(spec, path, faults);
}

function validateOwnRules(spec: PersistentVolumeSpec, path: string, faults: Faults): void {
  const { hostPath, local, nfs, csi, iscsi, flocker, fc, azureFile, glusterfs } = spec;
  if (hostPath !== undefined) validateHostPath(hostPath, `${path}.hostPath`, faults);
  if (local !== undefined && local.path !== "") validateNoBacksteps(local.path, `${path}.local.path`, faults);
  if (nfs !== undefined && !nfs.path.startsWith("/")) {
    faults.invalid(`${path}.nfs.path`, nfs.path, "must be an absolute path");
  }
  if (csi !== undefined) validateCsi(csi, `${path}.csi`, faults);
  if (iscsi !== undefined) validateIscsi(iscsi, `${path}.iscsi`, faults);
  if (flocker !== undefined) validateFlocker(flocker, `${path}.flocker`, faults);
  if (fc !== undefined && (fc.targetWWNs ?? []).length === 0 && (fc.wwids ?? []).length === 0) {
    faults.required(`${path}.fc.targetWWNs`, "must specify either targetWWNs or wwids, but not both");
  }
  if (azureFile?.secretNamespace === "") faults.required(`${path}.azureFile.secretNamespace`);
  const { endpointsNamespace } = glusterfs ?? {};
  if (endpointsNamespace !== undefined) {
    const field = `${path}.glusterfs.endpointsNamespace`;
    if (endpointsNamespace === "") {
      faults.invalid(field, "", "if the endpointnamespace is set, it must be a valid namespace name");
    } else faults.invalidEach(field, endpointsNamespace, checkLabel1123(endpointsNamespace));
  }
  for (const name of ["cinder", "storageos"] as const) {
    const secret = spec[name]?.secretRef;
    if (secret === undefined) continue;
    if ((secret.name ?? "") === "") faults.required(`${path}.${name}.secretRef.name`);
    if ((secret.namespace ?? "") === "") faults.required(`${path}.${name}.secretRef.namespace`);
  }
}

const driverLengthMax = 63;

export function validateDriverName(name: string, path: string, faults: Faults): void {
  if (name === "") faults.required(path);
  if (name.length > driverLengthMax) faults.tooLong(path, driverLengthMax);
  faults.invalidEach(path, name, checkSubdomain1123(name.toLowerCase()));
}

function validateCsi(csi: CSIPersistentVolumeSource, path: string, faults: Faults): void {
  if (csi.driver !== "") validateDriverName(csi.driver, `${path}.driver`, faults);
  const secrets = [
    "controllerPublishSecretRef",
    "controllerExpandSecretRef",
    "nodePublishSecretRef",
    "nodeExpandSecretRef",
  ] as const;
  for (const name of secrets) {
    const secret = csi[name];
    if (secret !== undefined) validateSecretReference(secret, `${path}.${name}`, faults);
  }
}

function validateSecretReference({ name = "", namespace = "" }: SecretReference, path: string, faults: Faults): void {
  if (name === "") faults.required(`${path}.name`);
  else faults.invalidEach(`${path}.name`, name, checkSubdomain1123(name));
  if (namespace === "") faults.required(`${path}.namespace`);
  else faults.invalidEach(`${path}.namespace`, namespace, checkLabel1123(namespace));
}

function validateIscsi(iscsi: ISCSIPersistentVolumeSource, path: string, faults: Faults): void {
  const { lun, iqn, secretRef } = iscsi;
  if (iqn !== "" && !/^(iqn|eui|naa)/.test(iqn)) {
    faults.invalid(`${path}.iqn`, iqn, "must be valid format starting with iqn, eui, or naa");
  }
  if (lun < 0 || lun > 255) faults.invalid(`${path}.lun`, lun, "must be between 0 and 255, inclusive");
  const authenticates = iscsi.chapAuthDiscovery === true || iscsi.chapAuthSession === true;
  if (authenticates && secretRef === undefined) faults.required(`${path}.secretRef`);
  if (secretRef !== undefined && (secretRef.name ?? "") === "") faults.required(`${path}.secretRef.name`);
}

function validateFlocker(
  { datasetName = "", datasetUUID = "" }: NonNullable<PersistentVolumeSpec["flocker"]>,
  path: string,
  faults: Faults,
): void {
  if (datasetName === "" && datasetUUID === "") {
    faults.required(path, "one of datasetName and datasetUUID is required");
  }
  if (datasetName !== "" && datasetUUID !== "") {
    faults.invalid(path, "resource", "datasetName and datasetUUID can not be specified simultaneously");
  }
  if (datasetName.includes("/")) faults.invalid(`${path}.datasetName`, datasetName, "must not contain '/'");
}
