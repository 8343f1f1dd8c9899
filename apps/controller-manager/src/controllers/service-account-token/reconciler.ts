import { isApiError, keyOf, parseKey, type Secret, secrets, type ServiceAccount, serviceAccounts } from "@kintsugi/api";
import { done, type Reconciler, type ReconcileResult } from "@kintsugi/controller";
import { claimsOfSecretToken, type TokenSigner } from "@kintsugi/pki";
import type { ControllerContext } from "../../context.ts";
import { accountNameOf, planTokenSecret } from "./plan.ts";

/** Fills one Secret of a service account, or deletes it. */
export class ServiceAccountTokenReconciler implements Reconciler {
  readonly #context: ControllerContext;
  readonly #signer: TokenSigner;

  constructor(context: ControllerContext, signer: TokenSigner) {
    this.#context = context;
    this.#signer = signer;
  }

  async reconcile(key: string, signal: AbortSignal): Promise<ReconcileResult> {
    const { client, informers, log, rootCa } = this.#context;
    const secret = informers.of(secrets).find(parseKey(key));
    const name = secret && accountNameOf(secret);
    if (secret === undefined || name === undefined) return done;
    const account = await this.#findAccount(secret, name, signal);
    const plan = planTokenSecret(secret, { account, rootCa, sign: this.#sign });
    if (plan.do === "nothing") return done;
    try {
      // The revision is a precondition: a Secret that has changed since is reconciled again.
      if (plan.do === "update") await client.update(secrets, plan.secret, { signal });
      else await client.delete(secrets, keyOf(secret), { signal, preconditions: preconditionsOf(secret) });
    } catch (error) {
      if (isApiError(error, "NotFound")) return done;
      throw error;
    }
    if (plan.do === "delete") log.info("secret of a deleted service account removed", { secret: key });
    return done;
  }

  /** Reads from the server before a Secret is deleted, because the cache may lack a new account. */
  async #findAccount(secret: Secret, name: string, signal: AbortSignal): Promise<ServiceAccount | undefined> {
    const { client, informers } = this.#context;
    const key = { namespace: secret.metadata.namespace ?? "", name };
    const copied = informers.of(serviceAccounts).find(key);
    const wouldGo = planTokenSecret(secret, { account: copied, rootCa: "", sign: () => "" }).do === "delete";
    return wouldGo ? client.find(serviceAccounts, key, { signal }) : copied;
  }

  readonly #sign = ({ metadata }: Secret, account: ServiceAccount): string =>
    this.#signer.sign(
      claimsOfSecretToken({
        namespace: metadata.namespace ?? "",
        secretName: metadata.name ?? "",
        accountName: account.metadata.name ?? "",
        accountUid: account.metadata.uid ?? "",
      }),
    );
}

function preconditionsOf({ metadata: { uid, resourceVersion } }: Secret) {
  return {
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  };
}
