import { flag, option } from "@kintsugi/daemon";

export const serviceAccountTokenOptions = {
  serviceAccountPrivateKeyFile: option(
    "service-account-private-key-file",
    flag.path({
      help: "Key that signs the tokens in Secrets of type kubernetes.io/service-account-token, PEM; without it such Secrets stay empty",
      example: "/etc/kintsugi/pki/sa.key",
    }),
  ),
  concurrentServiceAccountTokenSyncs: option(
    "concurrent-serviceaccount-token-syncs",
    flag.count({ min: 1, help: "Secrets with tokens that are reconciled at the same time", fallback: 5 }),
  ),
};
