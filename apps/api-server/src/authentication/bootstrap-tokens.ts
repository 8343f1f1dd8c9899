import { timingSafeEqual } from "node:crypto";
import { isTimestamp, parseTimestamp, type Secret, secrets } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";
import type { Store } from "@kintsugi/store";
import type { UserInfo } from "../authorization/authorization.ts";
import { decodeEntry } from "../resources/encoding.ts";
import { storeKey } from "../resources/keys.ts";

/** Finds whom a bearer token speaks for; `undefined` for one that is not known, not for this, or over. */
export type FindBearer = (token: string) => UserInfo | undefined;

const tokenPattern = /^([a-z0-9]{6})\.([a-z0-9]{16})$/;
const secretType = "bootstrap.kubernetes.io/token";
const groupPattern = /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/;

/**
 * Upstream's bootstrap tokens: a Secret `bootstrap-token-<id>` in kube-system, with which a machine that has nothing yet may ask
 * for a certificate. Read anew for each request: it may be deleted, and it expires, at any moment.
 */
export function findBootstrapToken({ store, clock }: { store: Pick<Store, "find">; clock: Clock }): FindBearer {
  return (token) => {
    const [, id, secret] = tokenPattern.exec(token) ?? [];
    if (id === undefined || secret === undefined) return undefined;
    const entry = store.find(storeKey(secrets, "kube-system", `bootstrap-token-${id}`));
    if (entry === undefined) return undefined;
    const object = decodeEntry(entry) as Secret;
    const value = (key: string) => Buffer.from(object.data?.[key] ?? "", "base64").toString("utf8");
    if (object.type !== secretType || object.metadata.deletionTimestamp !== undefined) return undefined;
    if (value("token-id") !== id || !same(value("token-secret"), secret)) return undefined;
    if (value("usage-bootstrap-authentication") !== "true" || isOver(value("expiration"), clock.nowMs()))
      return undefined;
    const groups = value("auth-extra-groups")
      .split(",")
      .filter((group) => groupPattern.test(group));
    return { name: `system:bootstrap:${id}`, groups: ["system:bootstrappers", ...groups] };
  };
}

/** A time that cannot be read counts as over, as upstream has it. */
function isOver(expiration: string, nowMs: number): boolean {
  if (expiration === "") return false;
  return !isTimestamp(expiration) || parseTimestamp(expiration) <= nowMs;
}

function same(known: string, given: string): boolean {
  const [a, b] = [Buffer.from(known), Buffer.from(given)];
  return a.length === b.length && timingSafeEqual(a, b);
}
