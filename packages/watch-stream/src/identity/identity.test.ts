import { SeededRandom, VirtualClock } from "@kintsugi/clock/simulated";
import { createUser, fromPublic } from "nkeys.js";
import { describe, expect, test } from "vitest";
import { createBusAuthority, createBusSeeds, trustOf } from "./bus-authority.ts";
import { publicKeyOf, userJwt } from "./nats-jwt.ts";
import { natsServerConfig } from "./nats-server-config.ts";
import { permissionsFor, publisherPermissions } from "./permissions.ts";

interface Token {
  jti: string;
  iss: string;
  sub: string;
  iat: number;
  exp?: number;
  nats: {
    type: string;
    pub?: { allow?: string[]; deny?: string[] };
    sub?: { allow?: string[]; deny?: string[] };
    subs?: number;
  };
}

/** The claims, once the signature is verified as that of `iss`. */
function claimsOf(jwt: string): Token {
  const [head = "", body = "", signature = ""] = jwt.split(".");
  const claims = JSON.parse(Buffer.from(body, "base64url").toString()) as Token;
  const genuine = fromPublic(claims.iss).verify(Buffer.from(`${head}.${body}`), Buffer.from(signature, "base64url"));
  expect(genuine).toBe(true);
  expect(JSON.parse(Buffer.from(head, "base64url").toString())).toEqual({ typ: "JWT", alg: "ed25519-nkey" });
  return claims;
}

describe("the subscriptions of an identity", () => {
  test.each([
    [
      "a node: its own pods, Node and Lease, and its proxy's objects",
      { name: "system:node:node.a", groups: ["system:nodes"] },
      [
        "lab.watch.core.pods.node=2Ea.*.*",
        "lab.watch.core.nodes.node=2Ea.*.*",
        "lab.watch.coordination=2Ek8s=2Eio.leases.node=2Ea.*.*",
        "lab.watch.core.services.>",
        "lab.watch.discovery=2Ek8s=2Eio.endpointslices.>",
        "lab.watch.marks",
      ],
    ],
    [
      "a node's proxy: Services and their endpoints, and Nodes",
      { name: "system:kube-proxy", groups: [] },
      [
        "lab.watch.core.services.>",
        "lab.watch.discovery=2Ek8s=2Eio.endpointslices.>",
        "lab.watch.marks",
        "lab.watch.core.nodes.>",
      ],
    ],
    ["the scheduler: everything", { name: "system:kube-scheduler", groups: [] }, ["lab.watch.>"]],
    ["the controller manager: everything", { name: "system:kube-controller-manager", groups: [] }, ["lab.watch.>"]],
    ["an administrator: everything", { name: "admin", groups: ["system:masters"] }, ["lab.watch.>"]],
  ])("%s, without permission to publish", (_, caller, subscribe) => {
    expect(permissionsFor("lab", caller)).toMatchObject({ publish: [], subscribe });
  });

  test.each([
    ["an unknown identity", { name: "somebody", groups: ["system:authenticated"] }],
    ["a node's name without the group", { name: "system:node:a", groups: ["system:authenticated"] }],
    ["a node without a name", { name: "system:node:", groups: ["system:nodes"] }],
    ["the group without a node's name", { name: "mallory", groups: ["system:nodes"] }],
    ["the anonymous", { name: "system:anonymous", groups: ["system:unauthenticated"] }],
  ])("%s: nothing", (_, caller) => {
    expect(permissionsFor("lab", caller)).toBeUndefined();
  });

  test("a node cannot widen its filter by its name", () => {
    for (const name of ["*", ">", "a.b", "_"]) {
      const all = permissionsFor("lab", { name: `system:node:${name}`, groups: ["system:nodes"] })?.subscribe ?? [];
      // The other subjects are for its proxy, and are the same for every node.
      const [allowed, others] = [all.slice(0, 3), all.slice(3)];
      expect(others).toEqual([
        "lab.watch.core.services.>",
        "lab.watch.discovery=2Ek8s=2Eio.endpointslices.>",
        "lab.watch.marks",
      ]);
      const tokens = allowed.map((filter) => filter.split(".")[4] ?? "");
      expect(tokens.filter((token) => /[*>]/.test(token))).toEqual([]);
      expect(allowed.map((filter) => filter.split(".").length)).toEqual([7, 7, 7]);
      expect(tokens).not.toContain("_");
    }
  });

  test("only the relay may publish, and only changes of its own cluster", () => {
    expect(publisherPermissions("lab")).toEqual({ publish: ["lab.watch.>"], subscribe: [] });
  });
});

describe("tokens", () => {
  const seeds = createBusSeeds();
  const clock = new VirtualClock({ startMs: 1_800_000_000_000 });
  const authority = createBusAuthority({ clock }, { accountSeed: seeds.accountSeed, cluster: "lab" });
  const publicKey = createUser().getPublicKey();

  test("operator, account and user form a chain of signatures", () => {
    const trust = trustOf(seeds, clock.nowMs());
    const operator = claimsOf(trust.operatorJwt);
    const account = claimsOf(trust.accountJwt);
    const issued = authority.issue({ name: "system:kube-scheduler", groups: [] }, publicKey);
    const user = claimsOf("jwt" in issued ? issued.jwt : "");
    expect([operator.iss, operator.sub]).toEqual([publicKeyOf(seeds.operatorSeed), publicKeyOf(seeds.operatorSeed)]);
    expect([account.iss, account.sub]).toEqual([operator.sub, trust.accountPublicKey]);
    expect([user.iss, user.sub]).toEqual([account.sub, publicKey]);
    expect([user.iat, user.exp]).toEqual([1_800_000_000, 1_800_000_000 + 24 * 3600]);
  });

  test("an identity without permissions of a kind is denied everything of it because an empty list would mean everything", () => {
    const permissions = { publish: [], subscribe: ["a.>"] };
    const token = claimsOf(userJwt(seeds.accountSeed, { publicKey, name: "u", permissions }, { issuedAtMs: 0 }));
    expect(token.nats).toMatchObject({ type: "user", pub: { deny: [">"] }, sub: { allow: ["a.>"] } });
    expect(token.exp).toBeUndefined();
  });

  test("a node has a limited number of subscriptions, and a service that follows everything has no limit", () => {
    const limitOf = (caller: Parameters<typeof permissionsFor>[1]) => {
      const issued = authority.issue(caller, publicKey);
      return claimsOf("jwt" in issued ? issued.jwt : "").nats.subs;
    };
    expect(limitOf({ name: "system:node:a", groups: ["system:nodes"] })).toBe(64);
    expect(limitOf({ name: "system:kube-proxy", groups: [] })).toBe(64);
    expect(limitOf({ name: "system:kube-scheduler", groups: [] })).toBe(-1);
  });

  test("a key that does not belong to a user gets no token", () => {
    const mistyped = `${publicKey.slice(0, -1)}${publicKey.endsWith("A") ? "B" : "A"}`;
    const caller = { name: "system:kube-scheduler", groups: [] };
    for (const key of ["", "not a key", publicKeyOf(seeds.accountSeed), seeds.accountSeed, mistyped]) {
      expect(authority.issue(caller, key)).toEqual({ refused: "badKey" });
    }
  });
});

test("the server accepts only users with the account's tokens, over TLS, with limits and without a monitoring port", () => {
  const random = new SeededRandom(1);
  const text = (length: number) => Buffer.from(random.bytes(length)).toString("hex");
  const trust = { operatorJwt: text(4), accountPublicKey: text(4), accountJwt: text(4) };
  const files = { certFile: "/pki/nats.crt", keyFile: "/pki/nats.key", caFile: '/pki/a "quoted" ca.crt' };
  const config = natsServerConfig({ host: "10.64.0.1", port: 4222, ...files, trust });
  expect(config).toContain(`operator: "${trust.operatorJwt}"`);
  expect(config).toContain("resolver: MEMORY");
  expect(config).toContain(`${trust.accountPublicKey}: "${trust.accountJwt}"`);
  expect(config).toContain(String.raw`ca_file: "/pki/a \"quoted\" ca.crt"`);
  expect(config).toMatch(/max_payload: \d+\nmax_pending: \d+/);
  expect(config).not.toMatch(/http|monitor|authorization|no_auth/);
});
