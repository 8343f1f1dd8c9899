import { fileSetting } from "./file-setting.ts";

export const encryptionSetting = fileSetting({
  name: "encryption",
  stored: "encryptionFile",
  noun: "encryption configuration",
  help: "file with the keys that encrypt resources on the disk (EncryptionConfiguration of apiserver.config.k8s.io/v1)",
  flags: (file) => ({ "encryption-provider-config": file }),
});
