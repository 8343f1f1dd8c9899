import { flag, FlagError, type FlagValues } from "@kintsugi/daemon";

/** The path of the EncryptionConfiguration. */
export interface EncryptionConfig {
  /** Undefined: values are not encrypted. */
  encryptionConfigFile: string | undefined;
  /** True where the file is read again after a change. */
  encryptionReload: boolean;
}

/** Upstream's flags for encryption at rest. */
export const encryptionFlags = {
  "encryption-provider-config": flag.path({
    help: "Keys with which resources are encrypted on the disk (EncryptionConfiguration of apiserver.config.k8s.io/v1)",
    example: "/etc/kintsugi/encryption.yaml",
  }),
  "encryption-provider-config-automatic-reload": flag.boolean({
    help: "Read the file of --encryption-provider-config again when it changes; a file with faults is ignored",
    fallback: false,
  }),
} as const;

/** @throws FlagError, with upstream's text. */
export function encryptionConfig(given: FlagValues<typeof encryptionFlags>): EncryptionConfig {
  const [file, reload] = [given["encryption-provider-config"], given["encryption-provider-config-automatic-reload"]];
  if (reload && file === undefined) {
    throw new FlagError("--encryption-provider-config-automatic-reload must be set with --encryption-provider-config");
  }
  return { encryptionConfigFile: file, encryptionReload: reload };
}
