import { flag, option } from "@kintsugi/daemon";

export const rootCaOptions = {
  rootCaFile: option(
    "root-ca-file",
    flag.path({
      help: "Certificate authority that signs the API server, PEM, given to pods with their tokens",
      example: "/etc/kintsugi/pki/ca.crt",
      key: "rootCAFile",
    }),
  ),
};
