import { fileSetting } from "./file-setting.ts";

export const authenticationSetting = fileSetting({
  name: "authentication",
  stored: "authenticationFile",
  noun: "authentication configuration",
  help: "file with the issuers of OIDC tokens that identify users (AuthenticationConfiguration of apiserver.config.k8s.io/v1)",
  flags: (file) => ({ "authentication-config": file }),
});
