/** PersistentVolumes and their claims, which the package exports together. */
export * from "./persistent-volume-claim/persistent-volume-claim.ts";
export * from "./persistent-volume/persistent-volume.ts";
export { betaStorageClassAnnotation, classOfClaim, classOfVolume } from "./persistent-volume/class-of-storage.ts";
export * from "./persistent-volume/persistent-volume-sources.ts";
export { validateClaimTemplate } from "./persistent-volume-claim/claim-validation.ts";
export * from "./persistent-volume-claim/persistent-volume-claim-kind.ts";
export * from "./persistent-volume/persistent-volume-kind.ts";
export * from "./persistent-volume-claim/persistent-volume-claim-type.ts";
export * from "./persistent-volume/persistent-volume-type.ts";
