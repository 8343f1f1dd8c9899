import { configMaps, readBootstrapToken, secrets } from "@kintsugi/api";
import { on } from "@kintsugi/controller";
import { defineController } from "../../context.ts";
import { BootstrapTokenReconciler, clusterInfo } from "./reconciler.ts";
import { bootstrapSignerRole, tokenCleanerRole } from "@kintsugi/rules";

const everyToken = ["all"];

/**
 * Signs cluster-info with every bootstrap token that allows signing, and removes expired tokens:
 * upstream's bootstrapsigner and tokencleaner.
 */
export const bootstrapTokenController = defineController({
  name: "bootstrap-tokens",
  options: {},
  roles: [bootstrapSignerRole, tokenCleanerRole],
  reads: [secrets, configMaps],
  // Machines can join with a token only where certificates are signed.
  needs: { what: "--cluster-signing-cert-file", of: ({ signing }) => signing },
  create(context) {
    const reconciler = new BootstrapTokenReconciler(context);
    return {
      queue: "bootstrap_tokens",
      workers: 1,
      keys: () => everyToken,
      watches: [
        on(secrets, ({ object }) => (readBootstrapToken(object) ? everyToken : [])),
        on(configMaps, ({ object }) => (object.metadata.name === clusterInfo.name ? everyToken : [])),
      ],
      reconcile: (key, signal) => reconciler.reconcile(key, signal),
    };
  },
});
