import { timingSafeEqual } from "node:crypto";
import { bootstrapTokenName, readBootstrapToken, type Secret, secrets } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";
import type { Store } from "@kintsugi/store";
import type { UserInfo } from "../authorization/authorization.ts";
import { decodeEntry } from "../resources/encoding.ts";
import { storeKey } from "../resources/keys.ts";

/**
 * Finds the user of a bearer token; `undefined` for a token that is unknown, expired or not meant
 * for authentication.
 */
export type FindBearer = (token: string) => UserInfo | undefined;

const tokenPattern = /^([a-z0-9]{6})\.([a-z0-9]{16})$/;
const groupPattern = /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/;

/**
 * Upstream's bootstrap tokens: a Secret `bootstrap-token-<id>` in kube-system, with which a machine
 * without credentials may request a certificate. The Secret is read again for each request, because
 * it may be deleted or expire at any time.
 */
export function findBootstrapToken({ store, clock }: { store: Pick<Store, "find">; clock: Clock }): FindBearer {
  return (token) => {
    const [, id, secret] = tokenPattern.exec(token) ?? [];
    if (id === undefined || secret === undefined) return undefined;
    const entry = store.find(storeKey(secrets, "kube-system", bootstrapTokenName(id)));
    if (entry === undefined) return undefined;
    const object = decodeEntry(entry) as Secret;
    const known = readBootstrapToken(object);
    if (known === undefined || object.metadata.deletionTimestamp !== undefined) return undefined;
    if (!same(known.secret, secret) || !known.authenticates || known.endsMs <= clock.nowMs()) return undefined;
    const groups = known.extraGroups.filter((group) => groupPattern.test(group));
    return { name: `system:bootstrap:${id}`, groups: ["system:bootstrappers", ...groups] };
  };
}

function same(known: string, given: string): boolean {
  const [a, b] = [Buffer.from(known), Buffer.from(given)];
  return a.length === b.length && timingSafeEqual(a, b);
}
