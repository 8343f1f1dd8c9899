import { secrets, serviceAccounts } from "@kintsugi/api";
import { on, reading } from "@kintsugi/controller";
import { TokenSigner } from "@kintsugi/pki";
import { defineController } from "../../context.ts";
import { serviceAccountTokenOptions } from "./options.ts";
import { accountNameOf } from "./plan.ts";
import { ServiceAccountTokenReconciler } from "./reconciler.ts";
import { serviceAccountTokenRole } from "@kintsugi/rules";

const indexedSecrets = reading(secrets, {
  serviceAccount: (secret) => {
    const name = accountNameOf(secret);
    return name === undefined ? [] : [`${secret.metadata.namespace}/${name}`];
  },
});

/**
 * Fills Secrets of type kubernetes.io/service-account-token, and deletes them with their accounts:
 * upstream's tokens_controller.go.
 */
export const serviceAccountTokenController = defineController({
  name: "serviceaccount-token",
  options: serviceAccountTokenOptions,
  roles: [serviceAccountTokenRole],
  reads: [indexedSecrets, serviceAccounts],
  needs: { what: "--service-account-private-key-file", of: ({ tokenKey }) => tokenKey },
  create(context, tokenKey) {
    const reconciler = new ServiceAccountTokenReconciler(context, new TokenSigner(tokenKey));
    const ofAccount = (key: string) => context.informers.of(secrets).byIndex("serviceAccount", key);
    return {
      queue: "serviceaccount_tokens",
      workers: context.options.concurrentServiceAccountTokenSyncs,
      keys: () => context.informers.of(secrets).list().flatMap(keysOfSecret),
      watches: [
        on(secrets, ({ type, object }) => (type === "deleted" ? [] : keysOfSecret(object))),
        on(serviceAccounts, ({ object: { metadata } }) =>
          ofAccount(`${metadata.namespace}/${metadata.name}`).flatMap(keysOfSecret),
        ),
      ],
      reconcile: (key, signal) => reconciler.reconcile(key, signal),
    };
  },
});

function keysOfSecret(secret: Parameters<typeof accountNameOf>[0]): string[] {
  const { namespace, name } = secret.metadata;
  return accountNameOf(secret) === undefined ? [] : [`${namespace}/${name}`];
}
