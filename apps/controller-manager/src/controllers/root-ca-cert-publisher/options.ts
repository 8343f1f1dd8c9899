import { flag, option } from "@kintsugi/daemon";

export const rootCaOptions = {
  rootCaFile: option(
    "root-ca-file",
    flag.path({
      help: "Certificate authority of the API server, PEM, which pods receive with their tokens",
      example: "/etc/kintsugi/pki/ca.crt",
      key: "rootCAFile",
    }),
  ),
};
